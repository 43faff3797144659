/** What was written with boh, followed into a mirror: what is new, what has got its outcome since, and what was forgotten. */
import { type Failure, usage } from '../../base/errors.ts';
import type { Excluded } from '../schema/excluded.ts';
import { historyTable, historyTables } from '../schema/history-tables.ts';
import { factsTable, newState, stateTable } from '../schema/state.ts';
import { idColumn } from '../schema/table.ts';
import { idsOf } from '../stores/reads.ts';
import { sql } from '../stores/sql.ts';
import type { Change, Store } from '../stores/store.ts';
import { changesFor, type HistoryEntry, removalOfEntries } from './history-rows.ts';
import { keepFact, keepState, readFact, readStates, stateIn } from './states.ts';

/** A history of this machine, of the account’s own writes. */
export interface HistorySource {
  /** How far it has come: its newest link, and the newest entry. */
  end: { seq: number; number: number };
  /** The oldest entry that wasn’t thrown away. */
  oldest: number | undefined;
  /** Another text once more is known of who its entries are by. */
  owners: string;
  /** How often it was found to have lost writes. */
  losses: number;
  /** By which an entry is known to be of this history; undefined where it isn’t there. */
  hashOf(number: number): string | undefined;
  /** Entries up to a number that say something else since a link. */
  touchedSince(from: { seq: number; number: number }): { numbers: readonly number[]; hasForgotten: boolean };
  one(number: number): HistoryEntry | undefined;
  /** Oldest first, some at a time. */
  after(number: number, upTo: number): Iterable<readonly HistoryEntry[]>;
}

export interface HistorySync {
  store: Store;
  source: HistorySource | undefined;
  /** All of it anew. */
  isFull: boolean;
  excluded: Excluded;
  /** As `RESOURCE/ID`: records that the mirror was told to forget. */
  forgotten: ReadonlySet<string>;
  now: string;
  /** Told of entries that were read: how many these are. */
  onEntries?: ((count: number) => void) | undefined;
}

export interface HistorySynced {
  read: number;
  removed: number;
  isWhole: boolean;
}

/** How far the mirror has come: entries up to `number` are in it, as they were at the link `seq`. */
interface Cursor {
  seq: number;
  number: number;
  /** Of that entry; null where there was none yet. */
  hash: string | null;
  /** As the source had them. */
  owners?: string;
  losses?: number;
}

const isKeptFact = 'history';

/** Under which it stands how far a mirror has come with it. */
export const cursorFact = 'history_cursor';

/** Rows that go at a time. */
const mostRemoved = 500;

/** Whether the mirror was told to hold the history, too. */
export async function holdsHistory(store: Pick<Store, 'read'>): Promise<boolean> {
  return (await readFact(store, isKeptFact)) === 'on';
}

/** The history goes from the mirror, and stays out. */
export async function dropHistory(store: Store): Promise<void> {
  await store.scrub([
    ...emptiedHistory(),
    { kind: 'drop', table: factsTable, column: idColumn, values: [isKeptFact] },
    { kind: 'drop', table: stateTable, column: idColumn, values: [historyTable.name] },
  ]);
}

/** What takes all of it away; the next sync begins anew. */
export function emptiedHistory(): Change[] {
  return [
    ...historyTables.map((table): Change => ({ kind: 'clear', table })),
    { kind: 'drop', table: factsTable, column: idColumn, values: [cursorFact] },
  ];
}

/** Why it could not be followed; what the mirror holds of it stays. */
export async function keepHistoryFailure(store: Store, { message }: Failure): Promise<void> {
  const state = stateIn(await readStates(store), historyTable.name);
  await store.write([keepState({ ...state, lastError: message })]);
}

/** Throws a usage failure where the mirror holds that of another machine. */
export async function syncHistory(sync: HistorySync): Promise<HistorySynced> {
  const { store, source, isFull, now } = sync;
  await store.index(historyTables);
  const known = await readFact(store, cursorFact);
  const before = known === undefined ? undefined : (JSON.parse(known) as Cursor);
  const isWhole = isFull || before === undefined;
  if (before && !isFull && !isSame(before, source)) throw otherHistory(store);
  const done = keepState({
    ...newState(historyTable.name),
    syncedAt: now,
    ...(isWhole && { fullAt: now }),
  });
  if (!source) {
    await store.write([keepFact(isKeptFact, 'on'), done]);
    return { read: 0, removed: 0, isWhole };
  }
  const { end, owners, losses } = source;
  let cursor: Cursor = before && !isFull ? before : { seq: end.seq, number: 0, hash: null, owners, losses };
  let read = 0;
  if (isWhole) await beginAnew(store, cursor, before !== undefined);
  else {
    read += await refresh(sync, source, cursor);
    // Names that were told since stand in every row: they are written over.
    const number = cursor.owners === owners ? cursor.number : 0;
    cursor = { ...cursor, seq: end.seq, number, owners };
    await store.write([keepCursor(cursor)]);
  }
  for (const entries of source.after(cursor.number, end.number)) {
    const number = entries.at(-1)?.number ?? cursor.number;
    cursor = { ...cursor, number, hash: source.hashOf(number) ?? null };
    const held = entries.filter((entry) => !isLeftOut(sync, entry));
    await store.write([...(held.length > 0 ? changesFor(held, sync.excluded) : []), keepCursor(cursor)]);
    read += entries.length;
    sync.onEntries?.(entries.length);
  }
  const removed = await removeThrownAway(store, source.oldest ?? end.number + 1);
  await store.write([done]);
  return { read, removed, isWhole };
}

async function beginAnew(store: Store, cursor: Cursor, hasRows: boolean): Promise<void> {
  const begun = [keepFact(isKeptFact, 'on'), keepCursor(cursor)];
  if (!hasRows) return store.write(begun);
  await store.scrub([...emptiedHistory(), ...begun]);
}

/** What is in the mirror already, and says something else by now. What was forgotten leaves nothing behind. */
async function refresh(sync: HistorySync, source: HistorySource, cursor: Cursor): Promise<number> {
  const { numbers, hasForgotten } = source.touchedSince(cursor);
  if (numbers.length === 0) return 0;
  const found = numbers
    .flatMap((number) => source.one(number) ?? [])
    .filter((entry) => !isLeftOut(sync, entry));
  const put = found.length > 0 ? changesFor(found, sync.excluded) : [];
  const changes = [...removalOfEntries(numbers), ...put];
  await (hasForgotten ? sync.store.scrub(changes) : sync.store.write(changes));
  return numbers.length;
}

function isLeftOut({ forgotten }: HistorySync, { resource, recordId, otherId }: HistoryEntry): boolean {
  return [recordId, otherId].some((id) => forgotten.has(`${resource}/${id}`));
}

/** What the history has thrown away, as it was old, goes from the copy as well. */
async function removeThrownAway(store: Store, oldest: number): Promise<number> {
  for (let removed = 0; ; ) {
    const ids = await idsOf(store, historyTable, sql`number < ${oldest}`, mostRemoved);
    if (ids.length === 0) return removed;
    await store.write(removalOfEntries(ids));
    removed += ids.length;
  }
}

/**
 * What was thrown away can’t be held against anything: then the links tell that it goes on. Behind a loss they don't, and
 * the mirror may hold what was lost.
 */
function isSame({ seq, number, hash, losses = 0 }: Cursor, source: HistorySource | undefined): boolean {
  if (!source || source.losses !== losses || source.end.seq < seq || source.end.number < number) return false;
  const there = source.hashOf(number);
  return (
    hash === null ||
    (there === undefined ? (source.oldest ?? Number.POSITIVE_INFINITY) > number : there === hash)
  );
}

function keepCursor(cursor: Cursor): Change {
  return keepFact(cursorFact, JSON.stringify(cursor));
}

function otherHistory({ called }: Store) {
  return usage(
    `The history in the mirror ${called} is that of another machine, or holds writes that the history of this one has lost. It is left as it is.`,
    { hint: 'To have that of this machine in its place: boh mirror sync --history --full' },
  );
}
