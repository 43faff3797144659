/** Reads the queue of a journal position by position, and the last position that has moved to the tables. */
import type { Cell, Database } from '../../storage/database.ts';
import { parseJsonCell } from '../../storage/json-cell.ts';
import { linkAfter } from './chain.ts';
import { queuedColumns } from './columns.ts';
import type { QueuedRow, QueuedTable, Tail } from './queue.ts';

/** The last position that has moved to the tables, or was read. */
export type LastQueuePosition = Pick<Tail, 'position' | 'hash'>;

/** A queue position with its rows. */
export interface QueuePosition extends LastQueuePosition {
  content: string;
}

/** Returns the last position that has moved to the tables. Throws the storage failure for a damaged file. */
export function enteredUpTo(database: Database): LastQueuePosition {
  const tail = database.get('SELECT entered_place AS place, entered_hash AS hash FROM tail');
  if (!tail) throw database.damagedFailure();
  return { position: Number(tail.place), hash: String(tail.hash) };
}

/** Returns the next position. Only one is read at a time, because a large run may have queued many rows. */
export function nextAfter(
  { position }: LastQueuePosition,
  database: Database,
  upTo = Number.MAX_SAFE_INTEGER,
): QueuePosition | undefined {
  const row = database.get(
    'SELECT place, hash, content FROM queue WHERE place > ? AND place <= ? ORDER BY place LIMIT 1',
    ...[position, upTo],
  );
  return row && { position: Number(row.place), hash: String(row.hash), content: String(row.content) };
}

/** Returns whether a position is unchanged and directly follows the last one. */
export function follows(next: QueuePosition, last: LastQueuePosition): boolean {
  return (
    next.position === last.position + 1 && linkAfter(last.hash, next.position, next.content) === next.hash
  );
}

/** Returns the rows of a position. Throws the storage failure for a damaged file. */
export function rowsIn({ content }: QueuePosition, database: Database): QueuedRow[] {
  return content.split('\n').map((line) => {
    const tab = line.indexOf('\t');
    const [table, ...cells] = parseJsonCell(line.slice(0, Math.max(0, tab)), database, isTableAndCells);
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
