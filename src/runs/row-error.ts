/** All that is wrong with a row, as the ledger keeps it. */
import type { RowProblem } from '../tables/table.ts';
import type { RowError } from './ledger/row.ts';

export function rowError(problems: readonly RowProblem[]): RowError {
  const texts = problems.map(({ column, what }) =>
    column === undefined ? `The row ${what}` : `${column} ${what}`,
  );
  const text = texts.join('; ');
  return { category: 'usage', message: /[.?!]$/.test(text) ? text : `${text}.`, problems };
}

/** As many are named; ten thousand that are the same are told of in each of ten thousand rows. */
const mostLines = 10;

/** `lines 2, 3, 7`: where rows stand that are the same. */
export function linesOf(rows: readonly { line: number | null }[]): string {
  const named = rows.slice(0, mostLines).map(({ line }) => line);
  const rest = rows.length - named.length;
  return `lines ${named.join(', ')}${rest > 0 ? ` and ${rest.toLocaleString('en-US')} more` : ''}`;
}
