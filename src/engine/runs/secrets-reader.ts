/** Reads the secrets of rows from their file again when the rows are sent, because ledgers don't contain secrets. */

import type { Row } from '../../account/session/row.ts';
import { Failure } from '../../base/errors.ts';
import type { ColumnFor } from '../tables/columns/match-header.ts';
import { FormattedCell, type Table, type TableRow } from '../tables/table.ts';
import { formatCell } from '../tables/workbook/cell.ts';
import type { LedgerRow } from './ledger/row.ts';

/** A function that returns the secrets of a row, by the names of request fields. */
export type ReadSecrets = (row: LedgerRow) => Promise<Row>;

/**
 * Returns a reader of secrets. Rows are requested roughly in order, so reading continues from the last position in the
 * file.
 */
export function secretsReader(table: Pick<Table, 'rows'>, columnFor: ColumnFor): ReadSecrets {
  let rows: AsyncIterator<TableRow> | undefined;
  let lastLine = 0;
  let previousRead: Promise<unknown> = Promise.resolve();
  const recentSecrets = new Map<number, Row>();

  const readRow = async (line: number): Promise<Row> => {
    const cachedSecrets = recentSecrets.get(line);
    if (cachedSecrets) return cachedSecrets;
    if (line <= lastLine) {
      rows = undefined;
      lastLine = 0;
    }
    rows ??= table.rows((name) => name === '' || !columnFor(name))[Symbol.asyncIterator]();
    for (;;) {
      const next = await rows.next();
      if (next.done) throw new Failure('usage', `The file no longer contains the secrets of line ${line}.`);
      lastLine = next.value.line;
      if (lastLine !== line) continue;
      const secrets = secretsIn(next.value, columnFor);
      recentSecrets.set(line, secrets);
      if (recentSecrets.size > 100) recentSecrets.delete(recentSecrets.keys().next().value ?? 0);
      return secrets;
    }
  };

  return ({ line }) => {
    const result = previousRead.then(() => readRow(line ?? 0));
    previousRead = result.catch(() => undefined);
    return result;
  };
}

function secretsIn({ cells }: TableRow, columnFor: ColumnFor): Row {
  const secrets: Row = {};
  for (const [name, value] of cells) {
    const column = columnFor(name);
    const requestName = (column?.update ?? column?.create)?.name;
    if (column?.field?.traits.secret && requestName !== undefined && value !== '')
      secrets[requestName] =
        value instanceof FormattedCell ? value.text : typeof value === 'number' ? formatCell(value) : value;
  }
  return secrets;
}
