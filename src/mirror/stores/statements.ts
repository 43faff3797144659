/** Builds the SQL of changes for an engine. The SQL of each statement is built once. */
import { quoteName } from '../../storage/quote-name.ts';
import { columnNames, idColumn, type Table } from '../schema/table.ts';
import type { Dialect } from './ddl.ts';
import { placeholder } from './sql.ts';

/** The statements of one engine. */
export interface Statements {
  /** Upserts rows: the values of all rows follow each other, each row's in the order of the columns. */
  put(table: Table, rowCount: number): string;
  /** Inserts rows, which is faster. It fails if one of them exists. */
  add(table: Table, rowCount: number): string;
  drop(table: Table, column: string, valueCount: number): string;
  blank(table: Table, columns: readonly string[]): string;
  clear(table: Table): string;
}

/** Returns the statements of an engine. */
export function statementsOf(dialect: Dialect): Statements {
  const sqlByKey = new Map<string, string>();
  const getOrCreate = (key: string, create: () => string): string => {
    const statement = sqlByKey.get(key) ?? create();
    sqlByKey.set(key, statement);
    return statement;
  };
  const parameters = (count: number, offset = 0) =>
    `(${Array.from({ length: count }, (_, index) => placeholder(dialect, offset + index + 1)).join(', ')})`;
  // Without OR FAIL, SQLite would copy the changed pages of each statement, to be able to roll back only that statement.
  // Here, the whole transaction is rolled back in any case.
  const insert = dialect === 'sqlite' ? 'INSERT OR FAIL INTO' : 'INSERT INTO';
  const insertStatement = (table: Table, count: number) => {
    const columns = columnNames(table);
    const rows = Array.from({ length: count }, (_, index) =>
      parameters(columns.length, index * columns.length),
    );
    return `${insert} ${quoteName(table.name)} (${columns.map(quoteName).join(', ')}) VALUES ${rows.join(', ')}`;
  };
  return {
    put: (table, rowCount) =>
      getOrCreate(`put ${table.name} ${rowCount}`, () => {
        const otherColumns = columnNames(table).filter((name) => name !== idColumn);
        const assignments = otherColumns
          .map((name) => `${quoteName(name)} = excluded.${quoteName(name)}`)
          .join(', ');
        return `${insertStatement(table, rowCount)} ON CONFLICT (${quoteName(idColumn)}) DO UPDATE SET ${assignments}`;
      }),
    add: (table, rowCount) =>
      getOrCreate(`add ${table.name} ${rowCount}`, () => insertStatement(table, rowCount)),
    drop: ({ name }, column, valueCount) =>
      `DELETE FROM ${quoteName(name)} WHERE ${quoteName(column)} IN ${parameters(valueCount)}`,
    clear: ({ name }) => `DELETE FROM ${quoteName(name)}`,
    blank: ({ name }, columns) =>
      `UPDATE ${quoteName(name)} SET ${columns.map((column) => `${quoteName(column)} = NULL`).join(', ')}`,
  };
}
