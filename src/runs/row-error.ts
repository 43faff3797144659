/** Builds the error of an invalid row, as the ledger stores it. */
import { joinItems } from '../base/shown-items.ts';
import type { RowProblem } from '../tables/table.ts';
import type { RowError } from './ledger/row.ts';

/** Returns one usage error with all problems of a row. */
export function rowError(problems: readonly RowProblem[]): RowError {
  const messages = problems.map(({ column, what }) =>
    column === undefined ? `The row ${what}` : `${column} ${what}`,
  );
  const message = messages.join('; ');
  return { category: 'usage', message: /[.?!]$/.test(message) ? message : `${message}.`, problems };
}

/** Returns the lines of rows for a message: `lines 2, 3, 7`. */
export function formatLines(rows: readonly { line: number | null }[]): string {
  return `lines ${joinItems(rows.map(({ line }) => line))}`;
}
