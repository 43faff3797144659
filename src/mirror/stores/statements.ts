/** The SQL of changes, made by Kysely for the engine at hand; each form of a statement is made once. */
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { columnNames, idColumn, type Table } from '../schema/table.ts';
import type { Dialect } from './ddl.ts';
import type { Tables } from './store.ts';

/** A compiler and nothing else: what is asked of it is never run. */
export function queriesFor(dialect: Dialect): Kysely<Tables> {
  const isSqlite = dialect === 'sqlite';
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => (isSqlite ? new SqliteAdapter() : new PostgresAdapter()),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => (isSqlite ? new SqliteIntrospector(db) : new PostgresIntrospector(db)),
      createQueryCompiler: () => (isSqlite ? new SqliteQueryCompiler() : new PostgresQueryCompiler()),
    },
  });
}

export interface Statements {
  /** The values of all rows follow each other. */
  put(table: Table, rows: number): string;
  /** The same where none of the rows is there, which is less to do; it fails where one is. */
  add(table: Table, rows: number): string;
  drop(table: Table, column: string, values: number): string;
  /** A value for each of the columns: nothing. */
  blank(table: Table, columns: readonly string[]): string;
  clear(table: Table): string;
}

export function statementsOf(queries: Kysely<Tables>): Statements {
  const known = new Map<string, string>();
  const once = (key: string, make: () => string): string => {
    const made = known.get(key) ?? make();
    known.set(key, made);
    return made;
  };
  return {
    put: (table, rows) =>
      once(`put ${table.name} ${rows}`, () => putting(queries, table, rows).compile().sql),
    add: (table, rows) => once(`add ${table.name} ${rows}`, () => adding(queries, table, rows).compile().sql),
    drop: ({ name }, column, values) =>
      once(`drop ${name} ${column} ${values}`, () => {
        const any = Array.from({ length: values }, () => '');
        return queries.deleteFrom(name).where(column, 'in', any).compile().sql;
      }),
    clear: ({ name }) => queries.deleteFrom(name).compile().sql,
    blank: ({ name }, columns) =>
      queries
        .updateTable(name)
        .set(Object.fromEntries(columns.map((column) => [column, null])))
        .compile().sql,
  };
}

function putting(queries: Kysely<Tables>, table: Table, rows: number) {
  const others = columnNames(table).filter((name) => name !== idColumn);
  return adding(queries, table, rows).onConflict((conflict) =>
    conflict
      .column(idColumn)
      .doUpdateSet(({ ref }) => Object.fromEntries(others.map((name) => [name, ref(`excluded.${name}`)]))),
  );
}

function adding(queries: Kysely<Tables>, table: Table, rows: number) {
  const names = columnNames(table);
  const row = Object.fromEntries(names.map((name) => [name, '']));
  return queries
    .insertInto(table.name)
    .columns(names)
    .values(Array.from({ length: rows }, () => row));
}
