/** What stands in the queue of a journal, place by place, and where it was entered up to. */
import type { Cell, Database } from '../../storage/database.ts';
import { jsonIn } from '../../storage/json-cell.ts';
import { linkAfter } from './chain.ts';
import { queuedColumns } from './columns.ts';
import type { QueuedRow, QueuedTable, Tail } from './queue.ts';

/** The last place that has entered, or that was looked at. */
export type LastPlace = Pick<Tail, 'place' | 'hash'>;

export interface QueuedPlace extends LastPlace {
  content: string;
}

/** Throws the failure that the file is damaged. */
export function enteredUpTo(database: Database): LastPlace {
  const tail = database.get('SELECT entered_place AS place, entered_hash AS hash FROM tail');
  if (!tail) throw database.damaged();
  return { place: Number(tail.place), hash: String(tail.hash) };
}

/** One after the other: a run of many may have written much at once. */
export function placeAfter(
  { place }: LastPlace,
  database: Database,
  upTo = Number.MAX_SAFE_INTEGER,
): QueuedPlace | undefined {
  const row = database.get(
    'SELECT place, hash, content FROM queue WHERE place > ? AND place <= ? ORDER BY place LIMIT 1',
    ...[place, upTo],
  );
  return row && { place: Number(row.place), hash: String(row.hash), content: String(row.content) };
}

/** Whether it is as it was written, and nothing is missing before it. */
export function follows(next: QueuedPlace, last: LastPlace): boolean {
  return next.place === last.place + 1 && linkAfter(last.hash, next.place, next.content) === next.hash;
}

/** Throws the failure that the file is damaged. */
export function rowsIn({ content }: QueuedPlace, database: Database): QueuedRow[] {
  return content.split('\n').map((line) => {
    const tab = line.indexOf('\t');
    const [table, ...cells] = jsonIn(line.slice(0, Math.max(0, tab)), database, isTableAndCells);
    return { table, cells, content: line.slice(tab + 1) };
  });
}

function isTableAndCells(value: unknown): value is [QueuedTable, ...Cell[]] {
  if (!Array.isArray(value)) return false;
  const [table, ...cells] = value as unknown[];
  return (
    typeof table === 'string' &&
    Object.hasOwn(queuedColumns, table) &&
    cells.length === queuedColumns[table as QueuedTable].length &&
    cells.every((cell) => cell === null || typeof cell === 'string' || typeof cell === 'number')
  );
}
