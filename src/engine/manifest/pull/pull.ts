/** Writes the records of an account as manifests, one for each resource, always in the same order and format. */
import { Document, isMap, isSeq, type YAMLMap } from 'yaml';
import { isRefusedList } from '../../../account/session/list.ts';
import { MissingFields } from '../../../account/session/missing-fields.ts';
import { isListedByWhoami } from '../../../account/session/references.ts';
import type { Row } from '../../../account/session/row.ts';
import type { Session } from '../../../account/session/session.ts';
import { targetsOf } from '../../../api/contract/field.ts';
import { includePaths } from '../../../api/contract/include.ts';
import { operation } from '../../../api/contract/operation.ts';
import { otherFieldsOf } from '../../../api/contract/other-fields.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { capitalize } from '../../../api/contract/wording.ts';
import { compareStrings } from '../../../base/compare-strings.ts';
import { canBeCreated, manifestFields } from '../declared/fields.ts';
import { escapeVariables } from '../source/variables.ts';
import { Keys, type PullContext, pulledFields, toDeclaredRow } from './pulled-record.ts';

export interface PullOptions {
  session: Session;
  /** The resources to pull; undefined for all that configure the business. */
  resources: readonly Resource[] | undefined;
  isExact: boolean;
}

export interface PulledResource {
  resource: Resource;
  records: Row[];
  /** Notes about omitted records and fields. */
  notes: string[];
}

export interface PullResult {
  resources: PulledResource[];
  /** The resources that the token may not list, or that the service doesn't have. */
  excluded: Resource[];
  /** The fields outside the API document that records have, by resource. Manifests don't contain them. */
  otherFields: ReadonlyMap<Resource, readonly string[]>;
  /** The fields of pulled resources that the service doesn't return. */
  missing: MissingFields;
}

/** Reads the records of an account as declarations. */
export async function pull({ session, resources, isExact }: PullOptions): Promise<PullResult> {
  const { api } = session;
  const resourcesToPull = resources ?? defaultResources(session);
  const rows = new Map<Resource, Row[]>();
  const excluded: Resource[] = [];
  const missing = new MissingFields();
  for (const resource of resourcesToPull) {
    const resourceRows = await readAll(resource, session, resources?.includes(resource) ?? false, missing);
    if (resourceRows) rows.set(resource, resourceRows);
    else excluded.push(resource);
  }
  // Whether a name is unique depends on all records of the resource.
  const targets = new Set([...rows.keys()].flatMap((resource) => pulledTargets(resource, session)));
  const keys = new Map<string, Keys>();
  for (const resource of new Set([...rows.keys(), ...targets])) {
    const resourceRows = rows.get(resource) ?? (await readAll(resource, session, false));
    if (resourceRows) keys.set(resource.name, new Keys(resource, resourceRows));
  }
  const referenceName = await referenceNames([...rows.keys()], session);
  const context: PullContext = { api, keys, isExact, referenceName };
  return {
    excluded,
    otherFields: otherFieldsIn(rows),
    missing,
    resources: [...rows].map(([resource, resourceRows]) => pullResource(resource, resourceRows, context)),
  };
}

function otherFieldsIn(rows: ReadonlyMap<Resource, readonly Row[]>): PullResult['otherFields'] {
  return new Map(
    [...rows].flatMap(([resource, records]) => {
      const names = new Set(records.flatMap((row) => Object.keys(otherFieldsOf(resource, row))));
      return names.size === 0 ? [] : [[resource, [...names]] as const];
    }),
  );
}

/** Returns the resources and all that their records refer to, directly or indirectly. */
export function withTargets(resources: readonly Resource[], session: Session): Resource[] {
  const allResources = new Set(resources);
  for (const resource of allResources)
    for (const target of pulledTargets(resource, session)) allResources.add(target);
  return [...allResources].filter((resource) => manifestFields(resource).size > 0);
}

/** Returns the resources in order of creation: resources that others refer to come first. */
export function defaultResources({ api }: Pick<Session, 'api'>): Resource[] {
  return api
    .dependencyOrder()
    .flatMap(({ resource }) =>
      manifestFields(resource).size > 0 && !resource.transactional ? [resource] : [],
    );
}

/** Returns all rows; undefined if a resource that wasn't requested by name can't be listed. */
export async function readAll(
  resource: Resource,
  session: Session,
  isRequested: boolean,
  missing = new MissingFields(),
): Promise<Row[] | undefined> {
  const list = operation(resource, 'list');
  if (!list) return undefined;
  const optional = pulledFields(resource).flatMap(({ name, field }) => includePaths(name, field));
  const rows: Row[] = [];
  try {
    for await (const row of session
      .list({ operation: list, query: { optional, onMissing: missing.of(resource) } })
      .rows())
      rows.push(row);
    return rows;
  } catch (error) {
    if (isRequested || !isRefusedList(error)) throw error;
    return undefined;
  }
}

function pulledTargets(resource: Resource, { api }: Session): Resource[] {
  const fields = pulledFields(resource).map(({ field }) => field);
  return targetsOf(fields).flatMap((target) => api.resource(target) ?? []);
}

/** Returns the names of records that can't be listed. These names are stable only within one account. */
async function referenceNames(
  resources: readonly Resource[],
  session: Session,
): Promise<PullContext['referenceName']> {
  const { api } = session;
  const names = new Map<string, Map<string, string>>();
  const targets = new Set(
    resources.flatMap((resource) => pulledFields(resource).map(({ field }) => field.traits.target ?? '')),
  );
  for (const target of targets) {
    if (api.resource(target) || !isListedByWhoami(api, target)) continue;
    const references = await session.names.references(target);
    const uniqueReferences = references.filter(
      ({ name }) => references.filter((reference) => reference.name === name).length === 1,
    );
    names.set(target, new Map(uniqueReferences.map(({ id, name }) => [id, name])));
  }
  return (target, id) => names.get(target)?.get(id);
}

function pullResource(resource: Resource, rows: readonly Row[], context: PullContext): PulledResource {
  const keys = context.keys.get(resource.name) ?? new Keys(resource, rows);
  const notes: string[] = [];
  const includedRows = rows.filter((row) => canBeCreated(resource, row));
  const records = includedRows.flatMap((row) => {
    const key = keys.keyOf(row);
    if (!key) notes.push(`Skipped the ${resource.noun} ${row.id}: no fields identify it.`);
    if (!key) return [];
    const record = toDeclaredRow(resource, row, key.isNatural ? undefined : key.names, context);
    return [{ record, sortKey: JSON.stringify(key.names.map((name) => record[name])) }];
  });
  // The records are sorted by their contents, because IDs differ in another account.
  records.sort((a, b) => compareStrings(a.sortKey, b.sortKey));
  return {
    resource,
    notes: [...resourceNotes(resource), ...notes.sort()],
    records: records.map(({ record }) => record),
  };
}

/** Returns the notes about records and fields that a pull of the resource never contains. */
function resourceNotes(resource: Resource): string[] {
  const fields = [...manifestFields(resource).values()];
  const secrets = fields.filter(({ field }) => field.traits.secret).map(({ name }) => name);
  const creationNotes = fields.flatMap(({ name, field: { traits } }) => {
    const { creatable, words = {} } = traits;
    if (!creatable) return [];
    const otherWords = Object.entries(words)
      .filter(([, value]) => !creatable.includes(value))
      .map(([word]) => word);
    return [
      `Skipped ${resource.nouns} with the ${name} ${otherWords.join(' or ')}: the API can't create them.`,
    ];
  });
  const examples = secrets.map((name) => `${name}: \${${name.toUpperCase()}}`);
  const builtInNotes = Object.values(resource.fields).flatMap(({ traits }) =>
    traits.builtIn === undefined
      ? []
      : [`Skipped the ${traits.builtIn} of the account: each account has its own.`],
  );
  return [
    ...builtInNotes,
    ...creationNotes,
    ...(secrets.length > 0
      ? [
          `Secrets are never returned. To set one for a new ${resource.noun}, use a variable: ${examples.join(', ')}`,
        ]
      : []),
  ];
}

export function manifestDocument({ resource, records, notes }: PulledResource): Document {
  const document = new Document({ [resource.command]: escapeVariables(records) }, keepLongNumbers, {
    aliasDuplicateObjects: false,
    compat: 'yaml-1.1',
  });
  const lines = [`${capitalize(resource.nouns)}, written by boh pull.`, ...notes];
  document.commentBefore = lines.map((line) => ` ${line}`).join('\n');
  const list = document.get(resource.command);
  if (isSeq(list)) for (const record of list.items) if (isMap(record)) useFlowStyle(record);
  return document;
}

/** Keeps all digits of long integers. A fraction is written as the nearest double, as the service stores it. */
function keepLongNumbers(_: unknown, value: unknown): unknown {
  return value instanceof Number && /^-?\d+$/.test(String(value)) ? BigInt(String(value)) : value;
}

/** Writes each item in the lists of a record on one line: links, and references by several fields. */
function useFlowStyle(record: YAMLMap): void {
  for (const { key, value } of record.items) {
    if (isMap(value) || String(key) === '$key') (value as YAMLMap).flow = true;
    if (!isSeq(value)) continue;
    for (const item of value.items) {
      if (isSeq(item)) item.flow = true;
      if (isMap(item) && item.items.every((pair) => !isSeq(pair.value))) item.flow = true;
      else if (isMap(item)) useFlowStyle(item);
    }
  }
}
