/** Makes the error of an invalid row, as the ledger keeps it. */
import type { RowProblem } from '../tables/table.ts';
import type { RowError } from './ledger/row.ts';

/** Returns one usage error with all problems of a row. */
export function rowError(problems: readonly RowProblem[]): RowError {
  const texts = problems.map(({ column, what }) =>
    column === undefined ? `The row ${what}` : `${column} ${what}`,
  );
  const text = texts.join('; ');
  return { category: 'usage', message: /[.?!]$/.test(text) ? text : `${text}.`, problems };
}

/** How many line numbers a message names. Otherwise ten thousand identical rows would each name ten thousand lines. */
const maxNamedLines = 10;

/** Returns the lines of rows for a message: `lines 2, 3, 7`. */
export function linesOf(rows: readonly { line: number | null }[]): string {
  const named = rows.slice(0, maxNamedLines).map(({ line }) => line);
  const rest = rows.length - named.length;
  return `lines ${named.join(', ')}${rest > 0 ? ` and ${rest.toLocaleString('en-US')} more` : ''}`;
}
