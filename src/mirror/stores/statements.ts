/** Builds the SQL of changes for an engine. Each statement's text is built once. */
import { quoteName } from '../../storage/quote-name.ts';
import { columnNames, idColumn, type Table } from '../schema/table.ts';
import type { Dialect } from './ddl.ts';
import { parameter } from './sql.ts';

/** The statements of one engine. `rows` and `values` are the numbers of rows and values in a statement. */
export interface Statements {
  /** Upserts rows: the values of all rows follow each other, each row's in the order of the columns. */
  put(table: Table, rows: number): string;
  /** Inserts rows, which is faster. It fails if one of them exists. */
  add(table: Table, rows: number): string;
  drop(table: Table, column: string, values: number): string;
  blank(table: Table, columns: readonly string[]): string;
  clear(table: Table): string;
}

/** Returns the statements of an engine. */
export function statementsOf(dialect: Dialect): Statements {
  const texts = new Map<string, string>();
  const cached = (key: string, make: () => string): string => {
    const text = texts.get(key) ?? make();
    texts.set(key, text);
    return text;
  };
  const parameters = (count: number, offset = 0) =>
    `(${Array.from({ length: count }, (_, at) => parameter(dialect, offset + at + 1)).join(', ')})`;
  // OR FAIL: SQLite would otherwise keep a copy of what each statement changes, to roll that statement back alone.
  // Here the whole transaction is rolled back in any case.
  const insert = dialect === 'sqlite' ? 'INSERT OR FAIL INTO' : 'INSERT INTO';
  const addingTo = (table: Table, count: number) => {
    const columns = columnNames(table);
    const rows = Array.from({ length: count }, (_, at) => parameters(columns.length, at * columns.length));
    return `${insert} ${quoteName(table.name)} (${columns.map(quoteName).join(', ')}) VALUES ${rows.join(', ')}`;
  };
  return {
    put: (table, rows) =>
      cached(`put ${table.name} ${rows}`, () => {
        const others = columnNames(table).filter((name) => name !== idColumn);
        const set = others.map((name) => `${quoteName(name)} = excluded.${quoteName(name)}`).join(', ');
        return `${addingTo(table, rows)} ON CONFLICT (${quoteName(idColumn)}) DO UPDATE SET ${set}`;
      }),
    add: (table, rows) => cached(`add ${table.name} ${rows}`, () => addingTo(table, rows)),
    drop: ({ name }, column, values) =>
      `DELETE FROM ${quoteName(name)} WHERE ${quoteName(column)} IN ${parameters(values)}`,
    clear: ({ name }) => `DELETE FROM ${quoteName(name)}`,
    blank: ({ name }, columns) =>
      `UPDATE ${quoteName(name)} SET ${columns.map((column) => `${quoteName(column)} = NULL`).join(', ')}`,
  };
}
