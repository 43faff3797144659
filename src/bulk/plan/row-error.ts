/** All that is wrong with a row, as the ledger keeps it. */
import type { RowError } from '../ledger/row.ts';
import type { RowProblem } from '../tables/table.ts';

export function rowError(problems: readonly RowProblem[]): RowError {
  const texts = problems.map(({ column, what }) =>
    column === undefined ? `The row ${what}` : `${column} ${what}`,
  );
  return { category: 'usage', message: `${texts.join('; ')}.`, problems };
}
