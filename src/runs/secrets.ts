/** Reads the secrets of rows from their file again when they are sent: no ledger contains them. */

import { Failure } from '../base/errors.ts';
import type { Row } from '../session/row.ts';
import type { ColumnFor } from '../tables/columns/header.ts';
import type { Table, TableRow } from '../tables/table.ts';
import { cellText } from '../tables/workbook/cell.ts';
import type { LedgerRow } from './ledger/row.ts';

/** Returns the secrets of a row, by the names of request fields. */
export type SecretsOf = (row: LedgerRow) => Promise<Row>;

/** Returns a reader of secrets. Rows are requested roughly in their order, so the file is read on from the last position. */
export function secretsFrom(table: Pick<Table, 'rows'>, columnFor: ColumnFor): SecretsOf {
  let rows: AsyncIterator<TableRow> | undefined;
  let passed = 0;
  let last: Promise<unknown> = Promise.resolve();
  const recent = new Map<number, Row>();

  const readRow = async (line: number): Promise<Row> => {
    const known = recent.get(line);
    if (known) return known;
    if (line <= passed) {
      rows = undefined;
      passed = 0;
    }
    rows ??= table.rows()[Symbol.asyncIterator]();
    for (;;) {
      const next = await rows.next();
      if (next.done) throw new Failure('usage', `The file no longer contains the secrets of line ${line}.`);
      passed = next.value.line;
      if (passed !== line) continue;
      const secrets = secretsIn(next.value, columnFor);
      recent.set(line, secrets);
      if (recent.size > 100) recent.delete(recent.keys().next().value ?? 0);
      return secrets;
    }
  };

  return ({ line }) => {
    const work = last.then(() => readRow(line ?? 0));
    last = work.catch(() => undefined);
    return work;
  };
}

function secretsIn({ cells }: TableRow, columnFor: ColumnFor): Row {
  const secrets: Row = {};
  for (const [name, value] of cells) {
    const column = columnFor(name);
    const requestName = (column?.update ?? column?.create)?.name;
    if (column?.field?.traits.secret && requestName !== undefined && value !== '')
      secrets[requestName] = typeof value === 'number' ? cellText(value) : value;
  }
  return secrets;
}
