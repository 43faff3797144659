/** Makes a plan: compares the declaration with the account, which is read in bulk. Writes nothing. */

import { Failure } from '../../base/errors.ts';
import { operation } from '../../contract/operation.ts';
import { type Resource, titleField } from '../../contract/resource.ts';
import { isRowReference } from '../../runs/ledger/row-reference.ts';
import { isDeleted } from '../../session/list.ts';
import type { Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import { problemsAsNew } from '../declared/check-given.ts';
import { type Declaration, type Declared, keyText } from '../declared/declared.ts';
import { accountsOwn, canBeMade, type ManifestField } from '../declared/fields.ts';
import type { Ref } from '../declared/ref.ts';
import { Pauses } from '../pauses.ts';
import { Mistakes } from '../source/mistakes.ts';
import type { Change } from './change.ts';
import { compareRecord } from './compare-record.ts';
import { inOrderOfNames } from './renames.ts';
import { Resolution } from './resolve.ts';
import type { Target } from './wants.ts';

/** What a plan needs. */
export interface Planning {
  session: Session;
  declaration: Declaration;
  /** The resources whose records are deleted if the files don't name them. */
  prune: readonly Resource[];
  /** Whether the plan is only a comparison: changes that can't be sent are reported as differences or notes. */
  isCompared?: boolean;
  /** Whether built-in records, such as the owner, may change: only in a copy that is discarded. */
  allowsOwn?: boolean;
  /** Aborts the planning. */
  signal?: AbortSignal | undefined;
}

/** The changes that make an account match a declaration. */
export interface ManifestPlan {
  /** The changes in the order in which they are sent: records that others refer to first, deletions last. */
  changes: Change[];
  /** The row of each declared record that the account has, with the compared fields. */
  matches: ReadonlyMap<Declared, Row>;
  /** Returns the record of a reference; undefined if there is none. */
  target(ref: Ref): Target | undefined;
  /** The resources whose records are deleted if the files don't name them. */
  prune: readonly Resource[];
  /** The number of records of each resource from which the plan may delete. */
  counts: ReadonlyMap<Resource, number>;
  /** Notes for the user, including `notCompared`. */
  notes: string[];
  /** One message for each declared value that was not compared, and which therefore may differ. */
  notCompared: string[];
  declaration: Declaration;
  /** Returns the name by which rows of a ledger refer to the row of a record. */
  rowName(record: Declared): string;
}

/**
 * Makes a plan. Throws `usage` with all mistakes: unknown names, ambiguous names, and fields that can't be changed.
 */
export async function makePlan({
  session,
  declaration,
  prune,
  isCompared = false,
  allowsOwn = false,
  signal,
}: Planning): Promise<ManifestPlan> {
  const pauses = new Pauses(signal);
  const mistakes = new Mistakes();
  const { faults } = declaration;
  if (faults) mistakes.addAll(faults.mistakes);
  const absent = declaration.records.filter(({ isAbsent }) => isAbsent);
  // The limit of deletions depends on the number of records.
  const counted = new Set([...prune, ...absent.map(({ resource }) => resource)]);
  const found = new Map([...counted].map((resource) => [resource, [] as Row[]]));
  const whole = new Map(
    [...found].map(([resource, rows]) => [
      resource,
      (row: Row) => void (isDeletable(resource, row) && rows.push(identifyingFields(resource, row))),
    ]),
  );
  const resolving = { session, declaration, mistakes, whole, isCompared, pauses };
  const resolution = await Resolution.of(resolving).catch((error) => {
    // If the account can't be read, the mistakes in the files are still worth reporting.
    if (!signal?.aborted) faults?.mistakes.throwIfAny();
    throw error;
  });
  const rowName = namesOfRows(declaration.records);
  const [unknown, secret] = [new Set<string>(), new Set<string>()];
  const isAllThere = declaration.records.every((record) => resolution.rows.has(record));
  resolution.names.noteLater(() => noteNames(resolution, session));
  const called = (target: string, id: unknown): string =>
    isRowReference(id) ? id.$row.slice(id.$row.indexOf(' ') + 1) : resolution.names.of(target, String(id));
  const ofChange = new Map<Change, Declared>();
  const onUnknown = ({ resource }: Declared, { name, field }: ManifestField) =>
    (field.isHidden ? secret : unknown).add(`${name} of ${resource.nouns}`);
  const comparing = {
    resolution,
    mistakes,
    isCompared,
    onUnknown,
    rowName,
    called,
    problemsAsNew: isAllThere || isCompared ? undefined : problemsAsNew,
  };
  for (const record of inOrder(session, declaration.records)) {
    if (pauses.isDue) await pauses.take();
    if (record.isBroken || record.isAbsent) continue;
    const change = compareRecord(record, comparing);
    if (!change) continue;
    ofChange.set(change, record);
    if (!allowsOwn) refuseOwnerChanges(record, change, mistakes);
  }
  const deleted = inOrder(session, absent).flatMap((record) =>
    absence(record, resolution.rows, found, mistakes),
  );
  if (!isCompared || faults) mistakes.throwIfAny();
  const changes = inOrderOfNames(ofChange);
  for (const resource of prune)
    changes.push(...deletions(resource, found.get(resource) ?? [], resolution.rows));
  changes.push(...deleted);
  const notCompared = [...unknown].map(
    (what) => `The service doesn't show the ${what}, so it was not compared.`,
  );
  return {
    changes,
    matches: resolution.rows,
    target: (ref) => resolution.target(ref),
    prune,
    counts: new Map([...found].map(([resource, rows]) => [resource, rows.length])),
    notes: [
      ...(declaration.notes ?? []),
      ...resolution.notes,
      ...[...secret].map((what) => `Secrets are never shown: the ${what} was not compared.`),
      ...notCompared,
    ],
    notCompared,
    declaration,
    rowName,
  };
}

/** Refuses changes of the owner: the file of another account must not replace the owner of this one. */
function refuseOwnerChanges(
  { resource, at }: Declared,
  { fields, links, work: { known } }: Change,
  mistakes: Mistakes,
): void {
  const own = known && accountsOwn(resource, known);
  if (own === undefined) return;
  const names = [...Object.keys(fields), ...links.map(({ link }) => link)];
  mistakes.add(
    at,
    `is the ${own} of the account, which files can't change: ${[...new Set(names)].join(', ')} (use boh ${resource.command} update)`,
  );
}

/** Returns whether a record may be deleted: only if a manifest could create it again. */
function isDeletable(resource: Resource, row: Row): boolean {
  return !isDeleted(row) && canBeMade(resource, row);
}

/** Returns the fields that identify a record to delete. */
function identifyingFields({ key, title }: Resource, row: Row): Row {
  const names = ['id', ...(title === undefined ? [] : [title]), ...key];
  return Object.fromEntries(names.map((name) => [name, row[name]]));
}

/** Returns the deletions of a resource, in reverse order of creation. */
function deletions(resource: Resource, rows: readonly Row[], matches: ReadonlyMap<Declared, Row>): Change[] {
  const remove = operation(resource, 'delete');
  if (!remove)
    throw new Failure('usage', `${resource.command} can't be deleted, so --prune can't be used for them.`);
  const declared = new Set(
    [...matches].flatMap(([record, { id }]) => (record.resource === resource ? [id] : [])),
  );
  return rows.filter(({ id }) => !declared.has(id)).map((row) => deletion(resource, row));
}

function deletion(resource: Resource, row: Row): Change {
  const id = String(row.id);
  const name = [...resource.key, resource.title ?? 'id']
    .map((each) => row[each])
    .find((value) => typeof value === 'string' && value !== '');
  const key = name === undefined ? id : String(name);
  const called = row[resource.title ?? 'id'];
  const title = typeof called === 'string' && called !== '' && called !== key ? called : undefined;
  const work = {
    name: `${resource.command} ${id} deleted`,
    isRestored: false,
    // Only the identifying fields were kept.
    known: undefined,
    create: undefined,
    update: undefined,
    links: [],
  };
  return { action: 'delete', resource, key, title, id, fields: {}, links: [], work };
}

/** Returns the deletion of a record that is declared absent; none if the account doesn't have it. */
function absence(
  record: Declared,
  rows: ReadonlyMap<Declared, Row>,
  found: ReadonlyMap<Resource, readonly Row[]>,
  mistakes: Mistakes,
): Change[] {
  const { resource, at } = record;
  const row = rows.get(record);
  if (!row) return [];
  if (!found.get(resource)?.some(({ id }) => id === row.id)) {
    const what = accountsOwn(resource, row);
    const why = what === undefined ? 'no manifest could create it again' : `it is the ${what} of the account`;
    mistakes.add(at, `can't be deleted by $absent: ${why} (boh ${resource.command} delete does)`);
  }
  return [deletion(resource, row)];
}

function inOrder({ api }: Session, records: readonly Declared[]): Declared[] {
  const byResource = Map.groupBy(records, ({ resource }) => resource);
  if (byResource.size <= 1) return [...records];
  return api.dependencyOrder().flatMap(({ resource }) => byResource.get(resource) ?? []);
}

/**
 * Returns a function for the names of rows: `suppliers Fresh Farms`, with a number if two records have the same
 * key.
 */
function namesOfRows(records: readonly Declared[]): (record: Declared) => string {
  let names: Map<Declared, string> | undefined;
  const make = () => {
    const made = new Map<Declared, string>();
    const taken = new Map<string, number>();
    for (const record of records) {
      const name = `${record.resource.command} ${keyText(record)}`;
      const count = (taken.get(name) ?? 0) + 1;
      taken.set(name, count);
      made.set(record, count === 1 ? name : `${name} (${count})`);
    }
    return made;
  };
  return (record) => {
    names ??= make();
    return names.get(record) ?? '';
  };
}

/** Stores the names of the declared records, and of the related records that answers show. */
function noteNames({ rows, names }: Resolution, { api }: Session): void {
  for (const [record, { id }] of rows) {
    if (typeof id === 'string') names.prefer(record.resource.name, id, keyText(record));
  }
  for (const [record, row] of rows) {
    for (const { field } of record.given.values()) {
      const { target } = field.field.traits;
      if (target === undefined) continue;
      const other = api.resource(target);
      const title = other ? titleField(other.fields) : 'name';
      if (title !== undefined) names.noteShown(target, title, row[field.name]);
    }
  }
}
