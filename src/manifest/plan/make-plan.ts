/** From what is declared to what has to change: reads the account in bulk, and writes nothing. */
import { Failure } from '../../base/errors.ts';
import { operation } from '../../contract/operation.ts';
import { type Resource, titleField } from '../../contract/resource.ts';
import { isRowReference } from '../../runs/ledger/row-reference.ts';
import { isDeleted } from '../../session/list.ts';
import type { Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import { type Declaration, type Declared, keyText } from '../declared/declared.ts';
import { accountsOwn, canBeMade, type ManifestField } from '../declared/fields.ts';
import type { Ref } from '../declared/ref.ts';
import { Pauses } from '../pauses.ts';
import { Mistakes } from '../source/mistakes.ts';
import type { Change } from './change.ts';
import { compareRecord } from './compare-record.ts';
import { inOrderOfNames, refuseCircles } from './renames.ts';
import { Resolution } from './resolve.ts';
import type { Target } from './wants.ts';

export interface Planning {
  session: Session;
  declaration: Declaration;
  /** Records of these that the files don’t name are deleted. */
  prune: readonly Resource[];
  /** Nothing of it will be sent: what couldn’t be is a difference like any other, or a remark. */
  isCompared?: boolean;
  /** Even what each account has by itself, such as its owner, is changed: in a copy that is thrown away. */
  allowsOwn?: boolean;
  /** Ends the planning. */
  signal?: AbortSignal | undefined;
}

export interface ManifestPlan {
  /** In the order in which they are sent: what others point at first, and deletions last. */
  changes: Change[];
  /** For every declared record the one in the account, if there is one, with the fields that are compared. */
  matches: ReadonlyMap<Declared, Row>;
  /** The record that a reference names; undefined where it names none. */
  target(ref: Ref): Target | undefined;
  /** How many records there are of each resource that is pruned. */
  counts: ReadonlyMap<Resource, number>;
  /** What people may want to know, `notCompared` included. */
  remarks: string[];
  /** Sentences on what is declared and was not compared: nobody can say that it is as declared. */
  notCompared: string[];
  declaration: Declaration;
  /** By which rows of a ledger refer to the row of a record. */
  rowName(record: Declared): string;
}

/** Throws `usage` with every mistake: names of nothing, names of several, what can’t be changed. */
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
  refuseCircles(declaration.records, mistakes);
  mistakes.throwIfAny();
  const found = new Map(prune.map((resource) => [resource, [] as Row[]]));
  const whole = new Map(
    [...found].map(([resource, rows]) => [
      resource,
      (row: Row) => void (mayGo(resource, row) && rows.push(kept(resource, row))),
    ]),
  );
  const resolution = await Resolution.of({ session, declaration, mistakes, whole, isCompared, pauses });
  const rowName = namesOfRows(declaration.records);
  const [unknown, secret] = [new Set<string>(), new Set<string>()];
  const isAllThere = declaration.records.every((record) => resolution.rows.has(record));
  const problemsAsNew =
    isAllThere || isCompared ? undefined : (await import('../declared/check-given.ts')).problemsAsNew;
  resolution.names.noteLater(() => noteNames(resolution, session));
  const called = (target: string, id: unknown): string =>
    isRowReference(id) ? id.$row.slice(id.$row.indexOf(' ') + 1) : resolution.names.of(target, String(id));
  const ofChange = new Map<Change, Declared>();
  const onUnknown = ({ resource }: Declared, { name, field }: ManifestField) =>
    (field.isHidden ? secret : unknown).add(`${name} of ${resource.nouns}`);
  const comparing = { resolution, mistakes, isCompared, onUnknown, rowName, called, problemsAsNew };
  for (const record of inOrder(session, declaration.records)) {
    if (pauses.isDue) await pauses.take();
    const change = compareRecord(record, comparing);
    if (!change) continue;
    ofChange.set(change, record);
    if (!allowsOwn) refuseOwn(record, change, mistakes);
  }
  if (!isCompared) mistakes.throwIfAny();
  const changes = inOrderOfNames(ofChange);
  for (const [resource, rows] of found) changes.push(...deletions(resource, rows, resolution.rows));
  const notCompared = [...unknown].map(
    (what) => `The service doesn’t show the ${what}, so it was not compared.`,
  );
  return {
    changes,
    matches: resolution.rows,
    target: (ref) => resolution.target(ref),
    counts: new Map([...found].map(([resource, rows]) => [resource, rows.length])),
    remarks: [
      ...(declaration.remarks ?? []),
      ...resolution.remarks,
      ...[...secret].map((what) => `Secrets are never shown: the ${what} was not compared.`),
      ...notCompared,
    ],
    notCompared,
    declaration,
    rowName,
  };
}

/** A file of another account must not make its owner that of this one. */
function refuseOwn(
  { resource, at }: Declared,
  { fields, links, work: { known } }: Change,
  mistakes: Mistakes,
): void {
  const own = known && accountsOwn(resource, known);
  if (own === undefined) return;
  const names = [...Object.keys(fields), ...links.map(({ link }) => link)];
  mistakes.add(
    at,
    `is the ${own} of the account, which files don’t change: ${[...new Set(names)].join(', ')} (boh ${resource.command} update does)`,
  );
}

/** What no manifest could make again is no manifest's to delete. */
function mayGo(resource: Resource, row: Row): boolean {
  return !isDeleted(row) && canBeMade(resource, row);
}

/** Of a record that may go, as much as says which one it is. */
function kept({ key, title }: Resource, row: Row): Row {
  const names = ['id', ...(title === undefined ? [] : [title]), ...key];
  return Object.fromEntries(names.map((name) => [name, row[name]]));
}

/** The last to be made is the first to go. */
function deletions(resource: Resource, rows: readonly Row[], matches: ReadonlyMap<Declared, Row>): Change[] {
  const remove = operation(resource, 'delete');
  if (!remove)
    throw new Failure('usage', `${resource.command} can’t be deleted, so --prune has nothing to do there.`);
  const declared = new Set(
    [...matches].flatMap(([record, { id }]) => (record.resource === resource ? [id] : [])),
  );
  return rows
    .filter(({ id }) => !declared.has(id))
    .map((row): Change => {
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
        // No more of it was kept than says which one it is.
        known: undefined,
        create: undefined,
        update: undefined,
        links: [],
      };
      return { action: 'delete', resource, key, title, id, fields: {}, links: [], work };
    });
}

function inOrder({ api }: Session, records: readonly Declared[]): Declared[] {
  const byResource = Map.groupBy(records, ({ resource }) => resource);
  if (byResource.size <= 1) return [...records];
  return api.dependencyOrder().flatMap(({ resource }) => byResource.get(resource) ?? []);
}

/** `suppliers Fresh Farms`, with a number behind it where two are called the same. */
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

/** What the declared records are called, and the related ones that are shown with their names. */
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
