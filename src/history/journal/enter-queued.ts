/** Brings the tables of a journal up to date: what waits in its queue becomes rows that can be asked for, and links of the chain. */
import type { Cell, Database } from '../../storage/database.ts';
import { digestedCells, rowFrom } from './columns.ts';
import { Head } from './head.ts';
import { KnownKinds } from './kinds.ts';
import type { QueuedRow, QueuedTable } from './queue.ts';
import { enteredUpTo, follows, placeAfter, rowsIn } from './queued.ts';

/** Places that enter in one transaction: meanwhile others wait to write. */
const together = 50;

/**
 * Whatever is in the queue by now, or the oldest of it until so many entries have entered. Answers how many have.
 * Throws a storage failure where the file can’t be written, or what waits makes no sense.
 */
export function enterQueued(database: Database, most = Number.POSITIVE_INFINITY): number {
  const newest = database.get('SELECT max(place) AS place FROM queue')?.place;
  if (newest == null) return 0;
  let entered = 0;
  for (let isMore = true; isMore && entered < most; ) {
    database.write(() => {
      const some = enterSome(database, Number(newest));
      isMore = some.places === together;
      entered += some.entries;
    });
  }
  return entered;
}

/** Others may have entered some of it since it was read that something waits: it is read in the same transaction. */
function enterSome(database: Database, newest: number): { places: number; entries: number } {
  const head = new Head(database);
  const tables: Tables = { database, head, kinds: new KnownKinds(database) };
  const before = head.number;
  let last = enteredUpTo(database);
  let places = 0;
  for (let next = placeAfter(last, database, newest); next; next = placeAfter(last, database, newest)) {
    const rows = rowsIn(next, database);
    const first = rows.find(({ table }) => table === 'entries');
    const isNumberedOn = first === undefined || Number(first.cells[0]) === head.number + 1;
    for (const row of rows) enterRow(row, tables);
    if (!follows(next, last) || !isNumberedOn) sayAltered(rows, head);
    last = next;
    if (++places === together) break;
  }
  if (places === 0) return { places, entries: 0 };
  head.store();
  database.run('UPDATE tail SET entered_place = ?, entered_hash = ?', last.place, last.hash);
  database.run('DELETE FROM queue WHERE place <= ?', last.place);
  return { places, entries: head.number - before };
}

interface Tables {
  database: Database;
  head: Head;
  kinds: KnownKinds;
}

function enterRow(queued: QueuedRow, tables: Tables): void {
  const row = rowFrom(queued);
  if (queued.table === 'commands') enter('commands', row, tables);
  else if (queued.table === 'outcomes') enterOutcome(row, tables);
  else enterEntry(row, tables);
}

function enterEntry(row: Row, tables: Tables): void {
  const resource = row.resource == null ? null : String(row.resource);
  const kind = tables.kinds.numberOf(Number(row.command), resource, String(row.fields));
  tables.head.number = Number(row.number);
  enter('entries', { ...row, kind }, tables);
}

/** Of what was forgotten or thrown away meanwhile: nobody would look here for what it says of somebody. */
const nothingKept = JSON.stringify({ after: null });

/** Two processes may have told what came of the same entry: a run, and the one that resumed it. The first has said it. */
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

/** As the next link of the chain. */
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

/** All rows of a table have the same columns: it is made of the first one. */
function insertInto(table: QueuedTable, row: Row): Insert {
  const known = inserts.get(table);
  if (known) return known;
  const columns = Object.keys(row);
  const places = columns.map(() => '?').join(', ');
  const made = { columns, sql: `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})` };
  inserts.set(table, made);
  return made;
}

/** The first and the last row that stood there, by the number of its entry; of a command alone nothing. */
function sayAltered(rows: readonly QueuedRow[], head: Head): void {
  const numbers = rows.filter(({ table }) => table !== 'commands').map(({ cells }) => Number(cells[0]));
  const [from, to] = [Math.min(...numbers), Math.max(...numbers)];
  head.mark(Date.now(), 'altered', numbers.length === 0 ? {} : { from, to });
}
