/** A mirror in a file of SQLite. */
import { Failure } from '../../base/errors.ts';
import type { Database } from '../../storage/database.ts';
import { isBusy, isOfSqlite } from '../../storage/failures.ts';
import { type Form, openFile } from '../../storage/open.ts';
import { Turns } from '../../storage/turns.ts';
import type { Mirrored } from '../schema/derive.ts';
import { historyTable, historyTables } from '../schema/history-tables.ts';
import { exactColumn, inSqlite } from '../schema/numbers.ts';
import { ownTables, type State, schemaVersion, stateOf, stateTable } from '../schema/state.ts';
import type { Table } from '../schema/table.ts';
import { addColumn, createTable, dropView, indexesOf, wordsView } from './ddl.ts';
import { lapsesOf, type Made } from './lapses.ts';
import { LongWrite } from './long-write.ts';
import { SqliteChanges } from './sqlite-changes.ts';
import { namingOfMirror } from './sqlite-form.ts';
import { makeNumbers, numberFunctions, textualNumbers } from './sqlite-numbers.ts';
import { statementsOf } from './statements.ts';
import type { Store, StoredRow } from './store.ts';

/** Makes the file where there is none, and what its tables lack. */
export async function openSqlite(file: string, resources: readonly Mirrored[]): Promise<Store> {
  const changes = new SqliteChanges(statementsOf('sqlite'));
  const form: Form = {
    ...namingOfMirror(file),
    version: schemaVersion(resources),
    durability: 'process',
    // The process has to hear meanwhile that it is to end: `Turns` wait for others.
    wait: 0,
    // It holds what people may have said in confidence.
    isPrivate: true,
    pageSize: 8192,
    // 40 MB.
    pagesInLog: 5000,
    functions: numberFunctions,
    upkeep: {
      isDone: (database) => lacking(database, resources).length === 0,
      do: (database) => {
        const made = lacking(database, resources);
        for (const { make } of made) make(database);
        const lapses = lapsesOf(
          statesIn(database),
          made.flatMap((each) => each.made ?? []),
        );
        for (const change of lapses) changes.carryOut(database, change);
      },
    },
  };
  const turns = new Turns();
  const inTurn = <T>(work: () => T) => turns.inTurn(() => telling(file, work), { timeout: longestWait });
  const database = await inTurn(() => openFile(file, form));
  // Rows come by the hundred thousand, and go anywhere in the indexes: in memory of 32 MB.
  database.script(cache.forRows);
  const long = new LongWrite(database);
  const write: Store['write'] = (all, { isGoingOn } = { isGoingOn: false }) =>
    inTurn(() =>
      long.write(() => {
        for (const change of all) changes.carryOut(database, change);
      }, isGoingOn),
    );

  return {
    called: file,
    dialect: 'sqlite',
    write,
    scrub: async (all) => {
      // Pages of before would stand beside it.
      await inTurn(() => long.end());
      await write(all);
      // Pages hold what stood there before, and the log holds whole pages.
      await inTurn(() => database.script('VACUUM'));
      await inTurn(() => {
        // It answers that somebody is in the way, and throws nothing.
        if (database.get('PRAGMA wal_checkpoint(TRUNCATE)')?.busy !== 0) throw database.failure('busy');
      }).catch((error) => {
        // Who reads for so long keeps the log; it goes with whoever closes the file last.
        if (!isBusy(error)) throw error;
      });
    },
    read: (query) => inTurn(() => database.all(query.textFor('sqlite'), ...query.values) as StoredRow[]),
    index: async (tables) => {
      // What was written so far is for good before: an index takes long, and can fail.
      await inTurn(() => long.end());
      const there = new Set(database.all(allIndexes).map(({ name }) => String(name)));
      const lacking = tables.flatMap(indexesOf).filter(({ name }) => !there.has(name));
      if (lacking.length === 0) return;
      database.script(cache.forSorting);
      try {
        for (const { sql } of lacking) await inTurn(() => database.script(sql));
      } finally {
        database.script(cache.forRows);
      }
    },
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

function statesIn(database: Database): Map<string, State> {
  const states = database.all(`SELECT * FROM ${stateTable.name}`).map(stateOf);
  return new Map(states.map((state) => [state.resource, state]));
}

/** For somebody else who writes to the file, in milliseconds. */
const longestWait = 10_000;

/** In KB. What an index is sorted with is as large again as this, and need not be. */
const cache = { forRows: 'PRAGMA cache_size = -32768', forSorting: 'PRAGMA cache_size = -4096' } as const;

const allIndexes = "SELECT name FROM sqlite_schema WHERE type = 'index'";

interface Lacking {
  make(database: Database): void;
  /** Undefined where it holds nothing that has to be read again. */
  made?: Made;
}

/** What is still to be made, in its order. Columns and tables of others are left alone. */
function lacking(database: Database, resources: readonly Mirrored[]): Lacking[] {
  const own = ownTables.flatMap((table) => {
    const of = historyTables.includes(table) ? historyTable.name : undefined;
    return lackingOf(database, table, of, table === historyTable);
  });
  const all = resources.flatMap(({ resource: { name }, main, tables }) =>
    tables.flatMap((table) => lackingOf(database, table, name, table === main)),
  );
  return [...own, ...all];
}

function lackingOf(database: Database, table: Table, of: string | undefined, isMain: boolean): Lacking[] {
  const there = columnsIn(database, table);
  const isNew = there.size === 0;
  const missing = table.columns.filter(({ name }) => !there.has(name));
  const made = isNew
    ? [createTable('sqlite', inSqlite(table))]
    : missing.map((column) => addColumn('sqlite', table, column));
  const isOfTexts = !isNew && (textualNumbers(table, there).length > 0 || lacksDigits(table, there));
  const view = wordsView(table);
  const isSame = view === undefined || viewIn(database, view.name) === view.sql;
  const run = (sql: string) => (on: Database) => on.script(sql);
  return [
    ...(isOfTexts ? [{ make: (on: Database) => makeNumbers(on, table, there) }] : []),
    ...made.map((sql) => ({ make: run(sql), made: { of, isLost: isMain && isNew } })),
    // It holds nothing of its own.
    ...(view && !isSame ? [dropView(view), view.sql].map((sql) => ({ make: run(sql) })) : []),
  ];
}

function lacksDigits(table: Table, there: ReadonlyMap<string, string>): boolean {
  return inSqlite(table) !== table && !there.has(exactColumn);
}

/** With the types that they were declared with. */
function columnsIn(database: Database, { name }: Table): Map<string, string> {
  const rows = database.all('SELECT name, type FROM pragma_table_info(?)', name);
  return new Map(rows.map((row) => [String(row.name), String(row.type)]));
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
