/** Moves rows from a journal's queue into its tables and appends them to the chain. */
import type { Cell, Database } from '../../storage/database.ts';
import { digestedCells, rowFrom } from './columns.ts';
import { Head } from './head.ts';
import type { QueuedRow, QueuedTable } from './queue.ts';
import { enteredUpTo, follows, nextAfter, rowsIn } from './queued.ts';

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
  const head = new Head(database);
  const tables: Tables = { database, head };
  const previousNumber = head.number;
  let lastPosition = enteredUpTo(database);
  let positions = 0;
  for (
    let next = nextAfter(lastPosition, database, newestPosition);
    next;
    next = nextAfter(lastPosition, database, newestPosition)
  ) {
    const rows = rowsIn(next, database);
    const firstEntry = rows.find(({ table }) => table === 'entries');
    const isConsecutive = firstEntry === undefined || Number(firstEntry.cells[0]) === head.number + 1;
    for (const row of rows) enterRow(row, tables);
    if (!follows(next, lastPosition) || !isConsecutive) markAltered(rows, head);
    lastPosition = next;
    if (++positions === maxBatchPositions) break;
  }
  if (positions === 0) return { positions, entries: 0 };
  head.store();
  database.run(
    'UPDATE tail SET entered_place = ?, entered_hash = ?',
    lastPosition.position,
    lastPosition.hash,
  );
  database.run('DELETE FROM queue WHERE place <= ?', lastPosition.position);
  return { positions, entries: head.number - previousNumber };
}

interface Tables {
  database: Database;
  head: Head;
}

function enterRow(queued: QueuedRow, tables: Tables): void {
  const row = rowFrom(queued);
  if (queued.table === 'commands') enter('commands', row, tables);
  else if (queued.table === 'outcomes') enterOutcome(row, tables);
  else enterEntry(row, tables);
}

function enterEntry(row: Row, tables: Tables): void {
  tables.head.number = Number(row.number);
  enter('entries', row, tables);
}

/** The content of an outcome whose entry has since been forgotten or deleted: it must not contain personal data. */
const emptyOutcome = JSON.stringify({ after: null });

/**
 * Enters an outcome, unless its entry already has one: a run and the process that resumed it may both report an
 * outcome, and the first one counts.
 */
function enterOutcome({ id, ...row }: Row, tables: Tables): void {
  const { database } = tables;
  const { number = null } = row;
  if (database.get('SELECT 1 FROM outcomes WHERE number = ?', number)) return;
  const entry = database.get('SELECT id FROM entries WHERE number = ? AND content IS NOT NULL', number);
  enter('outcomes', entry ? row : { ...row, content: emptyOutcome }, tables);
  if (entry && entry.id === null && id != null)
    database.run('UPDATE entries SET id = ? WHERE number = ?', id, number);
}

type Row = Record<string, Cell>;

/** Inserts a row as the next link of the chain. */
function enter(table: QueuedTable, row: Row, { database, head }: Tables): void {
  const linkedRow: Row = { ...row, ...head.link(digestedCells(table, row)) };
  const { columns, sql } = insertInto(table, linkedRow);
  database.insert(sql, ...columns.map((name) => linkedRow[name] ?? null));
}

interface Insert {
  columns: readonly string[];
  sql: string;
}

const inserts = new Map<QueuedTable, Insert>();

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

/** Adds a mark with the entry numbers of the first and the last changed row. Changed commands have no entry numbers. */
function markAltered(rows: readonly QueuedRow[], head: Head): void {
  const numbers = rows.filter(({ table }) => table !== 'commands').map(({ cells }) => Number(cells[0]));
  const [from, to] = [Math.min(...numbers), Math.max(...numbers)];
  head.mark(Date.now(), 'altered', numbers.length === 0 ? {} : { from, to });
}
