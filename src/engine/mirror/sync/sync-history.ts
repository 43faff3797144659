/**
 * Copies the history of writes into a mirror: new entries, outcomes that were determined later, and the removal of
 * forgotten entries.
 */

import { sql } from '../../../api/sql/sql.ts';
import { type Failure, usage } from '../../../base/errors.ts';
import { boh } from '../../../base/hint.ts';
import type { ExcludedFields } from '../schema/excluded.ts';
import { historyTable, historyTables } from '../schema/history-tables.ts';
import { metadataTable, newState, stateTable } from '../schema/state.ts';
import { idColumn } from '../schema/table.ts';
import { readIds } from '../stores/reads.ts';
import type { Store, StoreChange } from '../stores/store.ts';
import { entryChanges, entryRemovals, type HistoryEntry } from './history-rows.ts';
import { metadataChange, readMetadata, readStates, stateChange, stateFor } from './states.ts';

/** The history of this machine, limited to writes to the account. */
export interface HistorySource {
  /** The ID that distinguishes it from the history of another machine. */
  id: string;
  /** Its end: a position that increases with each change, and the number of the newest entry. */
  end: { place: number; number: number };
  /** The number of the oldest entry that hasn't been deleted. */
  oldest: number | undefined;
  /** Returns the entries up to `number` that have changed since the position `place`. */
  changedSince(from: { place: number; number: number }): {
    numbers: readonly number[];
    hasForgotten: boolean;
  };
  /** Returns one entry; undefined if it doesn't exist. */
  entry(number: number): HistoryEntry | undefined;
  /** Yields entries in batches, oldest first. */
  after(number: number, upTo: number): Iterable<readonly HistoryEntry[]>;
}

export interface HistorySyncOptions {
  store: Store;
  source: HistorySource | undefined;
  /** Whether to copy everything again. */
  isFull: boolean;
  excluded: ExcludedFields;
  /** The records that the mirror forgot, as `RESOURCE/ID`. */
  forgotten: ReadonlySet<string>;
  now: string;
  /** Called with the number of entries of each copied batch. */
  onEntries?: ((count: number) => void) | undefined;
}

export interface HistorySyncResult {
  /** The number of entries that were copied or updated. */
  read: number;
  /** The number of entries that were deleted because the history no longer has them. */
  removed: number;
  /** Whether the whole history was copied. */
  isWhole: boolean;
}

/** The mirror's progress: it has the entries of the history `id` up to `number`, in their state at the position `place`. */
interface Cursor {
  id: string;
  place: number;
  number: number;
}

const historyKey = 'history';

/** The key of the metadata that stores the cursor. */
export const cursorKey = 'history_cursor';

/** The maximum number of rows that are deleted at a time. */
const maxRemovedRows = 500;

export async function includesHistory(store: Pick<Store, 'read'>): Promise<boolean> {
  return (await readMetadata(store, historyKey)) === 'on';
}

/** Deletes the history from the mirror; later syncs don't add it again. */
export async function dropHistory(store: Store): Promise<void> {
  await store.scrub([
    ...clearHistory(),
    { kind: 'drop', table: metadataTable, column: idColumn, values: [historyKey] },
    { kind: 'drop', table: stateTable, column: idColumn, values: [historyTable.name] },
  ]);
}

/** Returns the changes that delete all entries; the next sync starts from the beginning. */
export function clearHistory(): StoreChange[] {
  return [
    ...historyTables.map((table): StoreChange => ({ kind: 'clear', table })),
    { kind: 'drop', table: metadataTable, column: idColumn, values: [cursorKey] },
  ];
}

/** Stores why the history couldn't be copied. The entries in the mirror are kept. */
export async function storeHistoryFailure(store: Store, { message }: Failure): Promise<void> {
  const state = stateFor(await readStates(store), historyTable.name);
  await store.write([stateChange({ ...state, lastError: message })]);
}

/** Copies the history into the mirror. Throws a usage failure if the mirror has the history of another machine. */
export async function syncHistory(options: HistorySyncOptions): Promise<HistorySyncResult> {
  const { store, source, isFull, now } = options;
  const storedCursor = await readMetadata(store, cursorKey);
  const previousCursor = storedCursor === undefined ? undefined : (JSON.parse(storedCursor) as Cursor);
  const isWhole = isFull || previousCursor === undefined;
  if (previousCursor && !isFull && !isSameHistory(previousCursor, source)) throw otherHistoryFailure(store);
  const newStateChange = stateChange({
    ...newState(historyTable.name),
    syncedAt: now,
    ...(isWhole && { fullAt: now }),
  });
  if (!source) {
    await store.write([metadataChange(historyKey, 'on'), newStateChange]);
    return { read: 0, removed: 0, isWhole };
  }
  const { id, end } = source;
  let cursor: Cursor = previousCursor && !isFull ? previousCursor : { id, place: end.place, number: 0 };
  let read = 0;
  if (isWhole) await restartHistory(store, cursor, previousCursor !== undefined);
  else {
    read += await updateChangedEntries(options, source, cursor);
    cursor = { ...cursor, place: end.place };
    await store.write([cursorChange(cursor)]);
  }
  for (const entries of source.after(cursor.number, end.number)) {
    cursor = { ...cursor, number: entries.at(-1)?.number ?? cursor.number };
    const includedEntries = entries.filter((entry) => !isAboutForgotten(options, entry));
    await store.write([
      ...(includedEntries.length > 0 ? entryChanges(includedEntries, options.excluded) : []),
      cursorChange(cursor),
    ]);
    read += entries.length;
    options.onEntries?.(entries.length);
  }
  const removed = await removeDeletedEntries(store, source.oldest ?? end.number + 1);
  await store.write([newStateChange]);
  return { read, removed, isWhole };
}

async function restartHistory(store: Store, cursor: Cursor, hasRows: boolean): Promise<void> {
  const initial = [metadataChange(historyKey, 'on'), cursorChange(cursor)];
  if (!hasRows) return store.write(initial);
  await store.scrub([...clearHistory(), ...initial]);
}

/** Updates entries that have changed since they were copied, and erases forgotten entries. Returns the number of entries. */
async function updateChangedEntries(
  options: HistorySyncOptions,
  source: HistorySource,
  cursor: Cursor,
): Promise<number> {
  const { numbers, hasForgotten } = source.changedSince(cursor);
  if (numbers.length === 0) return 0;
  const entries = numbers
    .flatMap((number) => source.entry(number) ?? [])
    .filter((entry) => !isAboutForgotten(options, entry));
  const newRows = entries.length > 0 ? entryChanges(entries, options.excluded) : [];
  const changes = [...entryRemovals(numbers), ...newRows];
  await (hasForgotten ? options.store.scrub(changes) : options.store.write(changes));
  return numbers.length;
}

function isAboutForgotten(
  { forgotten }: HistorySyncOptions,
  { resource, recordId, otherId }: HistoryEntry,
): boolean {
  return [recordId, otherId].some((id) => forgotten.has(`${resource}/${id}`));
}

/** Deletes entries that the history has deleted because of their age. */
async function removeDeletedEntries(store: Store, oldest: number): Promise<number> {
  for (let removed = 0; ; ) {
    const ids = await readIds(store, historyTable, sql`number < ${oldest}`, maxRemovedRows);
    if (ids.length === 0) return removed;
    await store.write(entryRemovals(ids));
    removed += ids.length;
  }
}

/** Returns whether the source is the history that was copied before, and not an older copy of it. */
function isSameHistory({ id, place, number }: Cursor, source: HistorySource | undefined): boolean {
  return source?.id === id && source.end.place >= place && source.end.number >= number;
}

function cursorChange(cursor: Cursor): StoreChange {
  return metadataChange(cursorKey, JSON.stringify(cursor));
}

function otherHistoryFailure({ label }: Store) {
  return usage(
    `The history in the mirror ${label} is from another machine, or has writes that are missing in the history of this machine. It was not changed.`,
    {
      hint: boh.hint`To replace it with this machine's history: ${boh.mirror('mirror sync', '--history', '--full')}`,
    },
  );
}
