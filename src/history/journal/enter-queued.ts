/** Brings the tables of a journal up to date: what waits in its queue becomes rows that can be asked for, and links of the chain. */
import type { Cell, Database } from '../../storage/database.ts';
import { Head } from './head.ts';
import { KnownKinds } from './kinds.ts';
import type { QueuedRow } from './queue.ts';
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

/** Of what was forgotten or thrown away meanwhile: nobody would look here for what it says of somebody. */
const nothingKept = JSON.stringify({ after: null });

/** Two processes may have told what came of the same entry: a run, and the one that resumed it. The first has said it. */
function enterOutcome(cells: readonly Cell[], told: string, { database, head }: Tables) {
  const [number, at, outcome, id] = cells.map(cellOf);
  if (database.get('SELECT 1 FROM outcomes WHERE number = ?', cellOf(number))) return;
  const entry = database.get(
    'SELECT id FROM entries WHERE number = ? AND content IS NOT NULL',
    cellOf(number),
  );
  const content = entry ? told : nothingKept;
  const link = head.link([number, at, outcome, content]);
  database.insert(
    'INSERT INTO outcomes (number, seq, at, outcome, content, salt, digest, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    ...[number, link.seq, at, outcome, content, link.salt, link.digest, link.hash].map(cellOf),
  );
  if (entry && entry.id === null && id != null)
    database.run('UPDATE entries SET id = ? WHERE number = ?', id, cellOf(number));
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
