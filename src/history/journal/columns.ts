/** Which columns of a journal’s rows come through the queue, and which the chain holds: its digests are made by this and proven by it. */
import type { Cell, StoredRow } from '../../storage/database.ts';
import type { QueuedRow, QueuedTable } from './queue.ts';

/** Tables whose rows are links of the chain. */
export type LinkedTable = QueuedTable | 'marks';

/** In the order of the cells of a queued row; its content stands behind them. */
export const queuedColumns = {
  commands: ['id', 'at', 'run', 'account'],
  entries: ['number', 'at', 'command', 'part', 'resource', 'verb', 'id', 'fields'],
  // The id is that of a new record, which its entry gets.
  outcomes: ['number', 'at', 'outcome', 'id'],
} as const satisfies Readonly<Record<QueuedTable, readonly string[]>>;

/**
 * What a digest is of, in its order: neither the keys, which follow from the place in the chain, nor what may turn out
 * later. It can’t be changed: no chain that is there could be proven any more.
 */
const digested: Readonly<Record<LinkedTable, readonly string[]>> = {
  commands: ['at', 'run', 'account', 'content'],
  entries: ['at', 'command', 'part', 'resource', 'verb', 'fields', 'content'],
  outcomes: ['number', 'at', 'outcome', 'content'],
  marks: ['at', 'kind', 'content'],
};

/** Of a row of the table, or of one on its way there. */
export function digestedCells(table: LinkedTable, row: StoredRow): Cell[] {
  return digested[table].map((name) => row[name] ?? null);
}

/** By the names of the columns. */
export function rowFrom({ table, cells, content }: QueuedRow): Record<string, Cell> {
  const row: Record<string, Cell> = { content };
  for (const [at, name] of queuedColumns[table].entries()) row[name] = cells[at] ?? null;
  return row;
}
