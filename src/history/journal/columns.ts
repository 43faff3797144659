/** Defines the columns of queued rows, and the columns that the digests of the chain cover. */
import type { Cell, StoredRow } from '../../storage/database.ts';
import type { QueuedRow, QueuedTable } from './queue.ts';

/** Tables whose rows are links of the chain. */
export type LinkedTable = QueuedTable | 'marks';

/** The columns of a queued row's cells, in order; the content comes after them. */
export const queuedColumns = {
  commands: ['id', 'at', 'run', 'account'],
  entries: ['number', 'at', 'command', 'part', 'resource', 'verb', 'id', 'fields'],
  // The ID of a new record; it is copied to its entry.
  outcomes: ['number', 'at', 'outcome', 'id'],
} as const satisfies Readonly<Record<QueuedTable, readonly string[]>>;

/**
 * The columns that a digest covers, in order: without the keys, which follow from the position in the chain, and
 * without values that may be added later. Don't change the columns: existing chains could no longer be verified.
 */
const digestedColumns: Readonly<Record<LinkedTable, readonly string[]>> = {
  commands: ['at', 'run', 'account', 'content'],
  entries: ['at', 'command', 'part', 'resource', 'verb', 'fields', 'content'],
  outcomes: ['number', 'at', 'outcome', 'content'],
  marks: ['at', 'kind', 'content'],
};

/** Returns the cells that the digest covers, of a stored or queued row. */
export function digestedCells(table: LinkedTable, row: StoredRow): Cell[] {
  return digestedColumns[table].map((name) => row[name] ?? null);
}

/** Returns a queued row as an object keyed by column. */
export function rowFrom({ table, cells, content }: QueuedRow): Record<string, Cell> {
  const row: Record<string, Cell> = { content };
  for (const [index, name] of queuedColumns[table].entries()) row[name] = cells[index] ?? null;
  return row;
}
