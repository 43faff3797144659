/** A mirror in a file of SQLite. */
import type { Compilable } from 'kysely';
import { Failure } from '../../errors.ts';
import type { Cell, Database } from '../../storage/database.ts';
import { isOfSqlite } from '../../storage/failures.ts';
import { type Form, openFile } from '../../storage/open.ts';
import type { Mirrored } from '../schema/derive.ts';
import { ownTables, schemaVersion } from '../schema/state.ts';
import type { Table } from '../schema/table.ts';
import { addColumn, createTable, dropView, indexesOf, wordsView } from './ddl.ts';
import { LongWrite } from './long-write.ts';
import { applicationId, namingOfMirror } from './sqlite-form.ts';
import { queriesFor, statementsOf } from './statements.ts';
import type { Change, Store, StoredRow } from './store.ts';

/** Makes the file where there is none, and what its tables lack. */
export function openSqlite(file: string, resources: readonly Mirrored[]): Store {
  const outgrown = new Set<string>();
  const form: Form = {
    ...namingOfMirror(file),
    applicationId,
    // A step of a version has nothing to do but for what the upkeep does, whatever the version before.
    steps: Array.from({ length: schemaVersion(resources) }, () => () => {}),
    durability: 'process',
    wait: 10_000,
    // It holds what people may have said in confidence.
    isPrivate: true,
    pageSize: 8192,
    // 40 MB.
    pagesInLog: 5000,
    functions: {},
    upkeep: {
      isDone: (database) => lacking(database, resources).length === 0,
      do: (database) => {
        for (const { sql, resource } of lacking(database, resources)) {
          database.script(sql);
          if (resource !== undefined) outgrown.add(resource);
        }
      },
    },
  };
  const database = openFile(file, form);
  // Rows come by the hundred thousand, and go anywhere in the indexes: in memory of 32 MB.
  database.script(cache.forRows);
  const queries = queriesFor('sqlite');
  const statements = statementsOf(queries);

  const carryOut = (change: Change) => {
    const { table } = change;
    if (change.kind === 'put') {
      const { rows } = change;
      const alone = rows.length % atOnce;
      if (alone > 0) database.runEach(statements.put(table, 1), rows.slice(0, alone));
      if (rows.length >= atOnce) database.runEach(statements.put(table, atOnce), together(rows, alone));
    } else if (change.kind === 'drop') {
      const each = change.values.map((value) => [value]);
      database.runEach(statements.drop(table, change.column, 1), each);
    } else if (change.kind === 'clear') {
      database.run(statements.clear(table));
    } else {
      database.run(statements.blank(table, change.columns), ...change.columns.map(() => null));
    }
  };

  const long = new LongWrite(database);
  const write: Store['write'] = async (changes, { isGoingOn } = { isGoingOn: false }) =>
    telling(file, () =>
      long.write(() => {
        for (const change of changes) carryOut(change);
      }, isGoingOn),
    );

  return {
    called: file,
    dialect: 'sqlite',
    outgrown,
    queries,
    write,
    scrub: async (changes) => {
      await write(changes);
      // Pages hold what stood there before, and the log holds whole pages.
      telling(file, () => database.script('VACUUM'));
      database.get('PRAGMA wal_checkpoint(TRUNCATE)');
    },
    read: async (query: Compilable) => {
      const { sql, parameters } = query.compile();
      return telling(file, () => database.all(sql, ...(parameters as Cell[])) as StoredRow[]);
    },
    index: async (tables) =>
      telling(file, () => {
        // What was written so far is for good before: an index takes long, and can fail.
        long.end();
        const there = new Set(database.all(allIndexes).map(({ name }) => String(name)));
        const lacking = tables.flatMap(indexesOf).filter(({ name }) => !there.has(name));
        if (lacking.length === 0) return;
        database.script(cache.forSorting);
        try {
          for (const { sql } of lacking) database.script(sql);
        } finally {
          database.script(cache.forRows);
        }
      }),
    close: async () => {
      try {
        telling(file, () => long.end());
      } catch (error) {
        try {
          database.close();
        } catch {
          // It follows from what failed first, which is told.
        }
        throw error;
      }
      database.close();
    },
  };
}

/** In KB. What an index is sorted with is as large again as this, and need not be. */
const cache = { forRows: 'PRAGMA cache_size = -32768', forSorting: 'PRAGMA cache_size = -4096' } as const;

const allIndexes = "SELECT name FROM sqlite_schema WHERE type = 'index'";

/** Rows of one statement: less work for each, up to where their values are more than is quickly handed over. */
const atOnce = 10;

/** The cells of so many rows after each other, from a row on; in one list, which is filled anew for each statement. */
function* together(rows: readonly (readonly Cell[])[], first: number): Generator<readonly Cell[]> {
  const cells: Cell[] = [];
  for (let at = first; at < rows.length; at += atOnce) {
    let count = 0;
    for (let each = at; each < at + atOnce; each++) {
      for (const cell of rows[each] ?? []) cells[count++] = cell;
    }
    yield cells;
  }
}

interface Lacking {
  sql: string;
  /** Whose rows there are already, without what this makes room for. */
  resource?: string;
}

/** What is still to be made, in its order. Columns and tables of others are left alone. */
function lacking(database: Database, resources: readonly Mirrored[]): Lacking[] {
  const own = ownTables.flatMap((table) => lackingOf(database, table));
  const all = resources.flatMap(({ resource: { name }, main, tables }) => {
    const isThere = columnsIn(database, main).size > 0;
    return tables.flatMap((table) =>
      lackingOf(database, table).map((each) => (isThere && each.isRoom ? { ...each, resource: name } : each)),
    );
  });
  return [...own, ...all];
}

function lackingOf(database: Database, table: Table): { sql: string; isRoom: boolean }[] {
  const there = columnsIn(database, table);
  const missing = table.columns.filter(({ name }) => !there.has(name));
  const made =
    there.size === 0
      ? [createTable('sqlite', table)]
      : missing.map((column) => addColumn('sqlite', table, column));
  const view = wordsView(table);
  const isSame = view === undefined || viewIn(database, view.name) === view.sql;
  return [
    ...made.map((sql) => ({ sql, isRoom: true })),
    ...(view && !isSame ? [dropView(view), view.sql].map((sql) => ({ sql, isRoom: false })) : []),
  ];
}

function columnsIn(database: Database, { name }: Table): Set<string> {
  return new Set(database.all('SELECT name FROM pragma_table_info(?)', name).map((row) => String(row.name)));
}

function viewIn(database: Database, name: string): unknown {
  return database.get("SELECT sql FROM sqlite_schema WHERE type = 'view' AND name = ?", name)?.sql;
}

/** Our own SQL fits the tables that we make: what it can’t be done on, somebody else has changed. */
function telling<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!isOfSqlite(error)) throw error;
    throw new Failure('unavailable', `The mirror ${file} refuses what is to be written: ${error.message}.`, {
      hint: 'Somebody has changed its tables. Take that back, or begin anew: boh mirror reset',
      cause: error,
    });
  }
}
