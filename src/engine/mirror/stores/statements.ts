/** Builds the SQL of changes for an engine. */

import { type Dialect, placeholder } from '../../../api/sql/sql.ts';
import { quoteName } from '../../../base/storage/quote-name.ts';
import { columnNames, idColumn, type Table } from '../schema/table.ts';
import type { StoreChange } from './store.ts';

/**
 * Returns the statement that upserts rows. Its values are those of all rows, one after the other, each row's in the order
 * of the columns.
 */
export function putStatement(dialect: Dialect, table: Table, rowCount: number): string {
  const names = columnNames(table);
  const rows = Array.from({ length: rowCount }, (_, index) =>
    parameters(dialect, names.length, index * names.length),
  );
  const assignments = names
    .filter((name) => name !== idColumn)
    .map((name) => `${quoteName(name)} = excluded.${quoteName(name)}`);
  // Without OR FAIL, SQLite would copy the changed pages of each statement, to be able to roll back only that statement.
  // Here, the whole transaction is rolled back in any case.
  const insert = dialect === 'sqlite' ? 'INSERT OR FAIL INTO' : 'INSERT INTO';
  return `${insert} ${quoteName(table.name)} (${names.map(quoteName).join(', ')}) VALUES ${rows.join(', ')}
    ON CONFLICT (${quoteName(idColumn)}) DO UPDATE SET ${assignments.join(', ')}`;
}

/** Returns the statement that deletes the rows whose column has one of some values. */
export function dropStatement(dialect: Dialect, table: Table, column: string, valueCount: number): string {
  return `DELETE FROM ${quoteName(table.name)} WHERE ${quoteName(column)} IN ${parameters(dialect, valueCount)}`;
}

export function changeAllStatement(change: Extract<StoreChange, { kind: 'blank' | 'clear' }>): string {
  const name = quoteName(change.table.name);
  if (change.kind === 'clear') return `DELETE FROM ${name}`;
  return `UPDATE ${name} SET ${change.columns.map((column) => `${quoteName(column)} = NULL`).join(', ')}`;
}

function parameters(dialect: Dialect, count: number, offset = 0): string {
  const placeholders = Array.from({ length: count }, (_, index) => placeholder(dialect, offset + index + 1));
  return `(${placeholders.join(', ')})`;
}
