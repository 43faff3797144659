/** Reads and names the records of two accounts for a comparison, and pairs them. */

import { isRefusedList } from '../../../account/session/list.ts';
import { keyFromNames, relateRecords } from '../../../account/session/record-key.ts';
import { isRow, type Row } from '../../../account/session/row.ts';
import type { Session } from '../../../account/session/session.ts';
import { targetsOf } from '../../../api/contract/field.ts';
import { includePaths } from '../../../api/contract/include.ts';
import { foldKey } from '../../../api/contract/normalize-key.ts';
import { operation } from '../../../api/contract/operation.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { keyTextIn, normalizedKeyIn } from '../plan/lookups.ts';

export interface AccountRecords {
  /** The name of the profile on the command line. */
  profile: string;
  /** Returns the records of a resource; undefined if the token may not list them. */
  rowsOf(resource: Resource): readonly Row[] | undefined;
  /**
   * Returns the name of a related record, from the row of the relation or its ID: the natural key, or the name that
   * responses contain, or the ID. Without a target all resources are searched.
   */
  nameOf(target: string, related: unknown): string;
  /** The names of records without a list, by target and ID. */
  referenceNames: Map<string, string>;
  /** The names of listed records, by resource and ID. */
  labels: Map<string, string>;
}

/** Gives each account the names that only the other one's responses contain: the same IDs then have the same names. */
export function shareReferenceNames(first: AccountRecords, second: AccountRecords): void {
  for (const [to, from] of [[first, second] as const, [second, first] as const])
    for (const [key, name] of from.referenceNames)
      if (!to.referenceNames.has(key)) to.referenceNames.set(key, name);
}

/** Gives the records of the second account the keys of their counterparts, so that relations to a pair are the same. */
export function shareKeys(resource: Resource, pairs: PairedRecords['pairs'], second: AccountRecords): void {
  for (const [a, b] of resource.key.length > 0 ? pairs : []) {
    const label = labelOf(resource, a.row);
    if (label !== undefined) second.labels.set(`${resource.name} ${b.row.id}`, label);
  }
}

/**
 * Reads these resources and the resources that they refer to. Throws if the token may not list one of
 * `requiredResources`.
 */
export async function readAccount(
  session: Session,
  resources: readonly Resource[],
  requiredResources: readonly Resource[],
): Promise<AccountRecords> {
  const rows = new Map<Resource, readonly Row[] | undefined>();
  const targets = resources.flatMap((resource) => targetsOf(Object.values(resource.fields)));
  const targetResources = targets.flatMap((target) => session.api.resource(target) ?? []);
  for (const resource of new Set([...resources, ...targetResources])) {
    const isCompared = resources.includes(resource);
    rows.set(resource, await readAll(session, resource, isCompared, requiredResources.includes(resource)));
  }
  const names = new Map<string, string>();
  for (const target of new Set(targets)) {
    if (session.api.resource(target)) continue;
    for (const { id, name } of await session.names.references(target)) names.set(`${target} ${id}`, name);
  }
  const labels = new Map<string, string>();
  for (const [resource, resourceRows] of rows)
    for (const row of resourceRows ?? []) {
      const label = labelOf(resource, row);
      if (label !== undefined) labels.set(`${resource.name} ${row.id}`, label);
    }
  const kinds = [...new Set([...rows.keys()].map(({ name }) => name).concat(targets))];
  const nameById = (target: string, id: string) =>
    labels.get(`${target} ${id}`) ?? names.get(`${target} ${id}`);
  return {
    profile: session.settings.profile ?? session.settings.baseUrl ?? 'the account',
    referenceNames: names,
    labels,
    rowsOf: (resource) => rows.get(resource),
    nameOf(target, related) {
      const id = String(isRow(related) ? related.id : related);
      const returnedName = isRow(related) && typeof related.name === 'string' ? related.name : '';
      const label =
        target === ''
          ? kinds.map((kind) => nameById(kind, id)).find((label) => label !== undefined)
          : nameById(target, id);
      return label ?? (returnedName || id);
    },
  };
}

/** Returns the first natural key that the record has; for a resource without natural keys, all text fields. */
function labelOf(resource: Resource, row: Row): string | undefined {
  const key = resource.key.map((name) => keyTextIn(row, name, resource)).find((text) => text !== null);
  if (key || resource.key.length > 0) return key ?? undefined;
  const textFields = Object.entries(resource.fields).filter(
    ([name, { kind }]) => kind === 'text' && name !== 'id',
  );
  return textFields.flatMap(([name]) => keyTextIn(row, name, resource) ?? []).join(', ') || undefined;
}

async function readAll(
  session: Session,
  resource: Resource,
  isCompared: boolean,
  isRequired: boolean,
): Promise<readonly Row[] | undefined> {
  const list = operation(resource, 'list');
  if (!list) return undefined;
  const relations = Object.entries(resource.fields).flatMap(([name, field]) => includePaths(name, field));
  const rows: Row[] = [];
  try {
    const query = { optional: isCompared ? relations : [], onMissing: () => undefined };
    for await (const row of session.list({ operation: list, query }, { readsAll: true }).rows())
      rows.push(row);
    return rows;
  } catch (error) {
    if (isRequired || !isRefusedList(error)) throw error;
    return undefined;
  }
}

export interface ComparedRecord {
  row: Row;
  /** The values by field, as `comparedValue` returns them. */
  values: ReadonlyMap<string, unknown>;
  fingerprint: string;
}

interface Unpaired {
  first: Set<ComparedRecord>;
  second: Set<ComparedRecord>;
}

interface PairedRecords {
  pairs: (readonly [ComparedRecord, ComparedRecord])[];
  /** Records of the first account without a counterpart. */
  first: ComparedRecord[];
  second: ComparedRecord[];
}

/**
 * With more candidate pairs than this, records with the same key are paired in sorted order instead of by
 * similarity.
 */
const maxComparedPairs = 2500;

/**
 * Pairs the records of two accounts. Records that share a key are paired by the number of equal fields. The next
 * natural key is used only if either record has no value for the previous ones.
 */
export function pairRecords(
  resource: Resource,
  first: readonly ComparedRecord[],
  second: readonly ComparedRecord[],
): PairedRecords {
  const unpaired = { first: new Set(first), second: new Set(second) };
  const pairs: PairedRecords['pairs'] = [];
  const keys = resource.key.filter((name) => Object.hasOwn(resource.fields, name));
  const keyOf = ({ row }: ComparedRecord, name: string) => normalizedKeyIn(row, name, resource);
  for (const [index, name] of keys.entries()) {
    const mayPair = (a: ComparedRecord, b: ComparedRecord) =>
      keys.slice(0, index).every((earlier) => keyOf(a, earlier) === null || keyOf(b, earlier) === null);
    pairWithin(unpaired, pairs, (record) => keyOf(record, name), mayPair);
    // As in a copy, another spelling matches if only one record of each account has it.
    const key = keyFromNames(resource, [name]);
    const byForm = (records: readonly ComparedRecord[]) =>
      Map.groupBy(records, ({ row }) => foldKey(resource.fields[name], keyTextIn(row, name, resource) ?? ''));
    const secondByForm = byForm(second);
    for (const [form, [a, ...others]] of byForm(first)) {
      const [b, ...otherCandidates] = secondByForm.get(form) ?? [];
      if (
        a &&
        b &&
        others.length + otherCandidates.length === 0 &&
        mayPair(a, b) &&
        relateRecords(key, a.row, b.row) === 'folded'
      )
        addPair(unpaired, pairs, [a, b]);
    }
  }
  const hasNoKey = (record: ComparedRecord) => keys.every((name) => keyOf(record, name) === null);
  pairWithin(
    unpaired,
    pairs,
    (record) => (hasNoKey(record) ? ownerKey(resource, record) : null),
    () => true,
  );
  return { pairs, first: [...unpaired.first], second: [...unpaired.second] };
}

/** Returns the name of a record and the names of the records that it belongs to. */
function ownerKey({ fields, title }: Resource, { values }: ComparedRecord): string {
  const names = Object.keys(fields).filter((name) => name === title || fields[name]?.kind === 'one');
  return JSON.stringify(names.map((name) => values.get(name) ?? null));
}

type MayPair = (a: ComparedRecord, b: ComparedRecord) => boolean;

function pairWithin(
  unpaired: Unpaired,
  pairs: PairedRecords['pairs'],
  groupOf: (record: ComparedRecord) => string | null,
  mayPair: MayPair,
): void {
  const second = Map.groupBy(unpaired.second, groupOf);
  for (const [key, group] of Map.groupBy(unpaired.first, groupOf)) {
    const candidates = key === null ? undefined : second.get(key);
    if (!candidates) continue;
    for (const pair of findBestPairs(group, candidates, mayPair)) addPair(unpaired, pairs, pair);
  }
}

function addPair(
  unpaired: Unpaired,
  pairs: PairedRecords['pairs'],
  pair: PairedRecords['pairs'][number],
): void {
  if (!unpaired.first.has(pair[0]) || !unpaired.second.has(pair[1])) return;
  pairs.push(pair);
  unpaired.first.delete(pair[0]);
  unpaired.second.delete(pair[1]);
}

function findBestPairs(
  first: readonly ComparedRecord[],
  second: readonly ComparedRecord[],
  mayPair: MayPair,
): PairedRecords['pairs'] {
  const pairs: PairedRecords['pairs'] = [];
  const groups = Map.groupBy(second, ({ fingerprint }) => fingerprint);
  const unmatchedByFingerprint = new Map(
    [...groups].map(([fingerprint, group]) => [fingerprint, [...group]]),
  );
  const unpairedFirst = first.filter((a) => {
    const b = unmatchedByFingerprint.get(a.fingerprint)?.pop();
    if (b) pairs.push([a, b]);
    return !b;
  });
  const unpairedSecond = [...unmatchedByFingerprint.values()].flat();
  const exceedsLimit = unpairedFirst.length * unpairedSecond.length > maxComparedPairs;
  const candidates = unpairedFirst.flatMap((a, index) => {
    const eligibleRecords = (exceedsLimit ? unpairedSecond.slice(index, index + 1) : unpairedSecond).filter(
      (b) => mayPair(a, b),
    );
    return eligibleRecords.map((b) => ({
      pair: [a, b] as const,
      equalFieldCount: exceedsLimit ? 0 : countEqualFields(a, b),
    }));
  });
  const pairedRecords = new Set<ComparedRecord>();
  candidates.sort((a, b) => b.equalFieldCount - a.equalFieldCount);
  for (const { pair } of candidates) {
    if (pair.some((record) => pairedRecords.has(record))) continue;
    for (const record of pair) pairedRecords.add(record);
    pairs.push(pair);
  }
  return pairs;
}

function countEqualFields(a: ComparedRecord, b: ComparedRecord): number {
  const values = [...a.values];
  return values.filter(([name, value]) => JSON.stringify(value) === JSON.stringify(b.values.get(name)))
    .length;
}
