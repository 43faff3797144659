/** Moves rows from a journal's queue into its tables and appends them to the chain. */
import type { Cell, Database } from '../../storage/database.ts';
import { digestedCells, rowFrom } from './columns.ts';
import { Head } from './head.ts';
import type { QueuedRow, QueuedTable } from './queue.ts';
import { enteredUpTo, follows, nextAfter, rowsIn } from './queued.ts';

/** Queue places per transaction; other processes wait to write meanwhile. */
const batchPlaces = 50;

/**
 * Moves all queued rows, or the oldest until `maxEntries` entries have moved, and returns the number of moved entries.
 * Throws a storage failure if the file can't be written or a queued row is invalid.
 */
export function enterQueued(database: Database, maxEntries = Number.POSITIVE_INFINITY): number {
  const newest = database.get('SELECT max(place) AS place FROM queue')?.place;
  if (newest == null) return 0;
  let entered = 0;
  for (let isMore = true; isMore && entered < maxEntries; ) {
    database.write(() => {
      const some = enterSome(database, Number(newest));
      isMore = some.places === batchPlaces;
      entered += some.entries;
    });
  }
  return entered;
}

/** Reads the queue in the same transaction, because another process may have moved rows since the last read. */
function enterSome(database: Database, newest: number): { places: number; entries: number } {
  const head = new Head(database);
  const tables: Tables = { database, head };
  const before = head.number;
  let last = enteredUpTo(database);
  let places = 0;
  for (let next = nextAfter(last, database, newest); next; next = nextAfter(last, database, newest)) {
    const rows = rowsIn(next, database);
    const first = rows.find(({ table }) => table === 'entries');
    const isNumberedOn = first === undefined || Number(first.cells[0]) === head.number + 1;
    for (const row of rows) enterRow(row, tables);
    if (!follows(next, last) || !isNumberedOn) markAltered(rows, head);
    last = next;
    if (++places === batchPlaces) break;
  }
  if (places === 0) return { places, entries: 0 };
  head.store();
  database.run('UPDATE tail SET entered_place = ?, entered_hash = ?', last.position, last.hash);
  database.run('DELETE FROM queue WHERE place <= ?', last.position);
  return { places, entries: head.number - before };
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

/** The content of an outcome whose entry was forgotten or deleted meanwhile: it must not contain personal data. */
const nothingKept = JSON.stringify({ after: null });

/** Two processes may report an outcome for one entry: a run and the one that resumed it. The first one counts. */
function enterOutcome({ id, ...row }: Row, tables: Tables): void {
  const { database } = tables;
  const { number = null } = row;
  if (database.get('SELECT 1 FROM outcomes WHERE number = ?', number)) return;
  const entry = database.get('SELECT id FROM entries WHERE number = ? AND content IS NOT NULL', number);
  enter('outcomes', entry ? row : { ...row, content: nothingKept }, tables);
  if (entry && entry.id === null && id != null)
    database.run('UPDATE entries SET id = ? WHERE number = ?', id, number);
}

type Row = Record<string, Cell>;

/** Inserts a row as the next link of the chain. */
function enter(table: QueuedTable, row: Row, { database, head }: Tables): void {
  const linked: Row = { ...row, ...head.link(digestedCells(table, row)) };
  const { columns, sql } = insertInto(table, linked);
  database.insert(sql, ...columns.map((name) => linked[name] ?? null));
}

interface Insert {
  columns: readonly string[];
  sql: string;
}

const inserts = new Map<QueuedTable, Insert>();

/** Returns a prepared insert from the first row: all rows of a table have the same columns. */
function insertInto(table: QueuedTable, row: Row): Insert {
  const known = inserts.get(table);
  if (known) return known;
  const columns = Object.keys(row);
  const places = columns.map(() => '?').join(', ');
  const made = { columns, sql: `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})` };
  inserts.set(table, made);
  return made;
}

/** Adds a mark that names the first and the last changed row by entry number; a command alone has none. */
function markAltered(rows: readonly QueuedRow[], head: Head): void {
  const numbers = rows.filter(({ table }) => table !== 'commands').map(({ cells }) => Number(cells[0]));
  const [from, to] = [Math.min(...numbers), Math.max(...numbers)];
  head.mark(Date.now(), 'altered', numbers.length === 0 ? {} : { from, to });
}
