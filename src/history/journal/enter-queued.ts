/** Moves rows from a journal's queue into its tables. */
import type { Cell, Database } from '../../storage/database.ts';
import { nextPosition, type QueuedTable } from './queue.ts';

/** The maximum number of queue positions per transaction, during which other processes can't write. */
const maxBatchPositions = 50;

/**
 * Moves all queued rows, or the oldest until `maxEntries` entries have moved, and returns the number of moved entries.
 * Throws a storage failure if the file can't be written or a queued row is invalid.
 */
export function enterQueued(database: Database, maxEntries = Number.POSITIVE_INFINITY): number {
  const newestPosition = database.get('SELECT max(place) AS place FROM queue')?.place;
  if (newestPosition == null) return 0;
  let enteredCount = 0;
  for (let hasMore = true; hasMore && enteredCount < maxEntries; ) {
    database.write(() => {
      const batch = database.checkStored(() => enterBatch(database, Number(newestPosition)));
      hasMore = batch.positions === maxBatchPositions;
      enteredCount += batch.entries;
    });
  }
  return enteredCount;
}

/** Reads the queue in the same transaction, because another process may have moved rows since the last read. */
function enterBatch(database: Database, newestPosition: number): { positions: number; entries: number } {
  const tail = database.get('SELECT entered_place AS place, entered_number AS number FROM tail');
  let [position, number] = [Number(tail?.place), Number(tail?.number)];
  if (!Number.isInteger(position)) throw database.damagedFailure();
  let [positions, entries] = [0, 0];
  while (positions < maxBatchPositions) {
    const next = nextPosition(database, { after: position, upTo: newestPosition });
    if (!next) break;
    position = next.position;
    positions++;
    for (const { table, cellsByColumn } of next.rows) {
      if (table === 'outcomes') enterOutcome({ ...cellsByColumn, place: position }, database);
      else enter(table, cellsByColumn, database);
      if (table !== 'entries') continue;
      number = Number(cellsByColumn.number);
      entries++;
    }
  }
  if (positions === 0) return { positions, entries };
  database.run('UPDATE tail SET entered_place = ?, entered_number = ?', position, number);
  database.run('DELETE FROM queue WHERE place <= ?', position);
  return { positions, entries };
}

/**
 * Enters an outcome, unless its entry already has one: a run and the process that resumed it may both report an
 * outcome, and the first one counts. The outcome of a forgotten entry gets no content, that of a deleted one is dropped.
 */
function enterOutcome({ id, ...row }: Row, database: Database): void {
  const { number = null } = row;
  const entry = database.get('SELECT id, content FROM entries WHERE number = ?', number);
  if (!entry || database.get('SELECT 1 FROM outcomes WHERE number = ?', number)) return;
  const isForgotten = entry.content === null;
  enter('outcomes', isForgotten ? { ...row, content: null } : row, database);
  if (!isForgotten && entry.id === null && id != null)
    database.run('UPDATE entries SET id = ? WHERE number = ?', id, number);
}

type Row = Record<string, Cell>;

interface Insert {
  columns: readonly string[];
  sql: string;
}

const inserts = new Map<QueuedTable, Insert>();

function enter(table: QueuedTable, row: Row, database: Database): void {
  const { columns, sql } = insertInto(table, row);
  database.insert(sql, ...columns.map((name) => row[name] ?? null));
}

/** Returns the insert statement, built from the first row: all rows of a table have the same columns. */
function insertInto(table: QueuedTable, row: Row): Insert {
  const cached = inserts.get(table);
  if (cached) return cached;
  const columns = Object.keys(row);
  const placeholders = columns.map(() => '?').join(', ');
  const insert = { columns, sql: `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${placeholders})` };
  inserts.set(table, insert);
  return insert;
}
