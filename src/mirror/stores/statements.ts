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
  /** The values of all rows follow each other, those of each in the order of the columns; the other columns hold nothing. */
  put(table: Table, columns: readonly string[], rows: number): string;
  /** The same where none of the rows is there, which is less to do; it fails where one is. */
  add(table: Table, columns: readonly string[], rows: number): string;
  drop(table: Table, column: string, values: number): string;
  /** A value for each of the columns: nothing. */
  blank(table: Table, columns: readonly string[]): string;
  clear(table: Table): string;
}

export function statementsOf(queries: Kysely<Tables>, dialect: Dialect): Statements {
  const known = new Map<string, string>();
  const once = (key: string, make: () => string): string => {
    const made = known.get(key) ?? make();
    known.set(key, made);
    return made;
  };
  const addingTo = ({ name }: Table, columns: readonly string[], rows: number) => {
    const into = queries.insertInto(name);
    const row = Object.fromEntries(columns.map((column) => [column, '']));
    // SQLite would keep what was there before each statement, to take back that one alone: all that goes with it is
    // taken back in any case.
    return (dialect === 'sqlite' ? into.orFail() : into)
      .columns(columns)
      .values(Array.from({ length: rows }, () => row));
  };
  return {
    put: (table, columns, rows) =>
      once(`put ${table.name} ${rows} ${columns}`, () => {
        const others = columnNames(table).filter((name) => name !== idColumn);
        const adding = addingTo(table, columns, rows).onConflict((conflict) =>
          conflict
            .column(idColumn)
            .doUpdateSet(({ ref }) =>
              Object.fromEntries(others.map((name) => [name, ref(`excluded.${name}`)])),
            ),
        );
        return adding.compile().sql;
      }),
    add: (table, columns, rows) =>
      once(`add ${table.name} ${rows} ${columns}`, () => addingTo(table, columns, rows).compile().sql),
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
