/** Brings the tables of a journal up to date: what waits in its queue becomes rows that can be asked for, and links of the chain. */
import type { Cell, Database } from '../../storage/database.ts';
import { jsonIn } from '../../storage/json-cell.ts';
import { linkAfter } from './chain.ts';
import { Head } from './head.ts';
import { KnownKinds } from './kinds.ts';
import type { QueuedRow, QueuedTable, Tail } from './queue.ts';

interface QueuedPlace extends Omit<Tail, 'number'> {
  content: string;
}

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
  for (let next = placeAfter(last, newest, database); next; next = placeAfter(last, newest, database)) {
    const rows = rowsIn(next, database);
    for (const row of rows) enterRow(row, tables);
    const isAsWritten = linkAfter(last.hash, next.place, next.content) === next.hash;
    if (next.place !== last.place + 1 || !isAsWritten) sayAltered(rows, head);
    last = next;
    if (++places === together) break;
  }
  if (places === 0) return { places, entries: 0 };
  head.store();
  database.run('UPDATE tail SET entered_place = ?, entered_hash = ?', last.place, last.hash);
  database.run('DELETE FROM queue WHERE place <= ?', last.place);
  return { places, entries: head.number - before };
}

/** One after the other: a run of many may have written much at once. */
function placeAfter(
  { place }: Pick<QueuedPlace, 'place'>,
  newest: number,
  database: Database,
): QueuedPlace | undefined {
  const row = database.get(
    'SELECT place, hash, content FROM queue WHERE place > ? AND place <= ? ORDER BY place LIMIT 1',
    ...[place, newest],
  );
  return row && { place: Number(row.place), hash: String(row.hash), content: String(row.content) };
}

/** Throws the failure that the file is damaged. */
function rowsIn({ content }: QueuedPlace, database: Database): QueuedRow[] {
  return content.split('\n').map((line) => {
    const tab = line.indexOf('\t');
    const [table, ...cells] = jsonIn(line.slice(0, Math.max(0, tab)), database, isTableAndCells);
    return { table, cells, content: line.slice(tab + 1) };
  });
}

const widths: Readonly<Record<QueuedTable, number>> = { commands: 4, entries: 8, outcomes: 4 };

function isTableAndCells(value: unknown): value is [QueuedTable, ...Cell[]] {
  if (!Array.isArray(value)) return false;
  const [table, ...cells] = value as unknown[];
  return (
    typeof table === 'string' &&
    Object.hasOwn(widths, table) &&
    cells.length === widths[table as QueuedTable] &&
    cells.every((cell) => cell === null || typeof cell === 'string' || typeof cell === 'number')
  );
}

function enteredUpTo(database: Database): Pick<QueuedPlace, 'place' | 'hash'> {
  const tail = database.get('SELECT entered_place AS place, entered_hash AS hash FROM tail');
  if (!tail) throw database.damaged();
  return { place: Number(tail.place), hash: String(tail.hash) };
}

interface Tables {
  database: Database;
  head: Head;
  kinds: KnownKinds;
}

function enterRow({ table, cells, content }: QueuedRow, tables: Tables): void {
  if (table === 'commands') enterCommand(cells, content, tables);
  else if (table === 'entries') enterEntry(cells, content, tables);
  else enterOutcome(cells, content, tables);
}

function enterCommand([id, at, run, account]: readonly Cell[], content: string, { database, head }: Tables) {
  const link = head.link([at, run, account, content]);
  database.insert(
    'INSERT INTO commands (id, seq, at, run, account, content, salt, digest, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    ...[id, link.seq, at, run, account, content, link.salt, link.digest, link.hash].map(cellOf),
  );
}

function enterEntry(cells: readonly Cell[], content: string, { database, head, kinds }: Tables): void {
  const [number, at, command, part, resource, verb, id, fields] = cells.map(cellOf);
  const link = head.link([at, command, part, resource, verb, fields, content]);
  head.number = Number(number);
  const kind = kinds.numberOf(Number(command), textOf(resource), String(fields));
  database.insert(
    `INSERT INTO entries (number, seq, at, command, part, resource, verb, id, fields, content, salt, digest, hash, kind)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[number, link.seq, at, command, part, resource, verb, id, fields, content].map(cellOf),
    ...[link.salt, link.digest, link.hash, kind],
  );
}

/** Two processes may have told what came of the same entry: a run, and the one that resumed it. The first has said it. */
function enterOutcome(cells: readonly Cell[], content: string, { database, head }: Tables): void {
  const [number, at, outcome, id] = cells.map(cellOf);
  if (database.get('SELECT 1 FROM outcomes WHERE number = ?', cellOf(number))) return;
  const link = head.link([number, at, outcome, content]);
  database.insert(
    'INSERT INTO outcomes (number, seq, at, outcome, content, salt, digest, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    ...[number, link.seq, at, outcome, content, link.salt, link.digest, link.hash].map(cellOf),
  );
  if (id != null)
    database.run('UPDATE entries SET id = ? WHERE number = ? AND id IS NULL', id, cellOf(number));
}

/** The first and the last row that stood there, by the number of its entry; of a command alone nothing. */
function sayAltered(rows: readonly QueuedRow[], head: Head): void {
  const numbers = rows.filter(({ table }) => table !== 'commands').map(({ cells }) => Number(cells[0]));
  const [from, to] = [Math.min(...numbers), Math.max(...numbers)];
  head.mark(Date.now(), 'altered', numbers.length === 0 ? {} : { from, to });
}

function cellOf(cell: Cell | undefined): Cell {
  return cell ?? null;
}

function textOf(cell: Cell | undefined): string | null {
  return cell == null ? null : String(cell);
}
