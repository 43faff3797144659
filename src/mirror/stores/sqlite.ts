/** Stores a mirror in a SQLite file. */
import { Failure } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Database } from '../../storage/database.ts';
import { isSqliteError } from '../../storage/failures.ts';
import { FairQueue } from '../../storage/fair-queue.ts';
import { type DatabaseFormat, openFile } from '../../storage/open.ts';
import { scrub } from '../../storage/scrub.ts';
import type { Mirrored } from '../schema/derive.ts';
import { historyTable, historyTables } from '../schema/history-tables.ts';
import { exactColumn, sqliteTable } from '../schema/numbers.ts';
import { ownTables, type State, schemaVersion, stateOf, stateTable } from '../schema/state.ts';
import type { Table } from '../schema/table.ts';
import { addColumn, createTable, dropView, indexesOf, wordsView } from './ddl.ts';
import type { Sql } from './sql.ts';
import { SqliteChanges } from './sqlite-changes.ts';
import { namingOfMirror } from './sqlite-format.ts';
import { convertToNumbers, numberFunctions, textNumberColumns } from './sqlite-numbers.ts';
import { type CreatedTable, stateResets } from './state-resets.ts';
import { statementsOf } from './statements.ts';
import type { Change, Store, StoredRow } from './store.ts';

/** Opens the file as a mirror; creates the file and missing tables, columns and views. */
export async function openSqlite(file: string, resources: readonly Mirrored[]): Promise<Store> {
  const changes = new SqliteChanges(statementsOf('sqlite'));
  const queue = new FileQueue(file);
  const format = formatOf(file, resources, changes);
  return new SqliteStore(file, await queue.run(() => openFile(file, format)), { turns: queue, changes });
}

function formatOf(file: string, resources: readonly Mirrored[], changes: SqliteChanges): DatabaseFormat {
  return {
    ...namingOfMirror(file),
    version: schemaVersion(resources),
    durability: 'process',
    // The process must be able to handle signals while it waits: `FairQueue` waits for other processes.
    busyTimeoutMs: 0,
    // The mirror may contain confidential data.
    isPrivate: true,
    pageSize: 8192,
    // 40 MB.
    checkpointPages: 5000,
    functions: numberFunctions,
    upkeep: {
      isDone: (database) => missingObjects(database, resources).length === 0,
      run: (database) => {
        const missing = missingObjects(database, resources);
        for (const { make } of missing) make(database);
        const resets = stateResets(
          statesIn(database),
          missing.flatMap((each) => each.created ?? []),
        );
        for (const change of resets) changes.apply(database, change);
      },
    },
  };
}

/** Runs work on the file, and waits while other processes write to it. */
class FileQueue {
  readonly #queue = new FairQueue();
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  run<T>(work: () => T): Promise<T> {
    return this.#queue.enqueue(() => withMirrorFailures(this.#file, work), { timeoutMs: lockTimeoutMs });
  }
}

class SqliteStore implements Store {
  readonly label: string;
  readonly dialect = 'sqlite';
  readonly #database: Database;
  readonly #queue: FileQueue;
  readonly #changes: SqliteChanges;

  constructor(file: string, database: Database, parts: { turns: FileQueue; changes: SqliteChanges }) {
    this.label = file;
    this.#database = database;
    this.#queue = parts.turns;
    this.#changes = parts.changes;
    // Hundreds of thousands of rows go to all parts of the indexes: 32 MB of cache keep those in memory.
    database.script(cache.forRows);
  }

  write(all: readonly Change[]): Promise<void> {
    const apply = () => {
      for (const change of all) this.#changes.apply(this.#database, change);
    };
    return this.#queue.run(() => this.#database.write(apply));
  }

  async scrub(all: readonly Change[]): Promise<void> {
    await this.write(all);
    await scrub(this.#database);
  }

  read(query: Sql): Promise<StoredRow[]> {
    return this.#queue.run(() => this.#database.all(query.textFor('sqlite'), ...query.values) as StoredRow[]);
  }

  async createIndexes(tables: readonly Table[]): Promise<void> {
    const existing = new Set(this.#database.all(allIndexes).map(({ name }) => String(name)));
    const missing = tables.flatMap(indexesOf).filter(({ name }) => !existing.has(name));
    if (missing.length === 0) return;
    this.#database.script(cache.forSorting);
    try {
      for (const { sql } of missing) await this.#queue.run(() => this.#database.script(sql));
    } finally {
      this.#database.script(cache.forRows);
    }
  }

  async close(): Promise<void> {
    this.#database.close();
  }
}

function statesIn(database: Database): Map<string, State> {
  const states = database.all(`SELECT * FROM ${stateTable.name}`).map(stateOf);
  return new Map(states.map((state) => [state.resource, state]));
}

/** How long to wait for another process that writes to the file, in milliseconds. */
const lockTimeoutMs = 10_000;

/** In KiB. Sorting for an index takes as much memory again as the cache, so the cache is made smaller. */
const cache = { forRows: 'PRAGMA cache_size = -32768', forSorting: 'PRAGMA cache_size = -4096' } as const;

const allIndexes = "SELECT name FROM sqlite_schema WHERE type = 'index'";

/** A table, column or view that has to be created. */
interface MissingObject {
  make(database: Database): void;
  /** Undefined if no list has to be read again because of it. */
  created?: CreatedTable;
}

/** Returns everything that has to be created, in order. Other tables and columns in the file aren't changed. */
function missingObjects(database: Database, resources: readonly Mirrored[]): MissingObject[] {
  const own = ownTables.flatMap((table) => {
    const stateName = historyTables.includes(table) ? historyTable.name : undefined;
    return missingFor(database, table, stateName, table === historyTable);
  });
  const all = resources.flatMap(({ resource: { name }, main, tables }) =>
    tables.flatMap((table) => missingFor(database, table, name, table === main)),
  );
  return [...own, ...all];
}

function missingFor(
  database: Database,
  table: Table,
  stateName: string | undefined,
  isMain: boolean,
): MissingObject[] {
  const existing = columnsIn(database, table);
  const isNew = existing.size === 0;
  const missing = table.columns.filter(({ name }) => !existing.has(name));
  const statements = isNew
    ? [createTable('sqlite', sqliteTable(table))]
    : missing.map((column) => addColumn('sqlite', table, column));
  const hasTextNumbers =
    !isNew && (textNumberColumns(table, existing).length > 0 || needsDigitsColumn(table, existing));
  const view = wordsView(table);
  const isViewCurrent = view === undefined || viewIn(database, view.name) === view.sql;
  const run = (sql: string) => (on: Database) => on.script(sql);
  return [
    ...(hasTextNumbers ? [{ make: (on: Database) => convertToNumbers(on, table, existing) }] : []),
    ...statements.map((sql) => ({ make: run(sql), created: { stateName, isLost: isMain && isNew } })),
    // The view has no data of its own, so it can be replaced.
    ...(view && !isViewCurrent ? [dropView(view), view.sql].map((sql) => ({ make: run(sql) })) : []),
  ];
}

function needsDigitsColumn(table: Table, existing: ReadonlyMap<string, string>): boolean {
  return sqliteTable(table) !== table && !existing.has(exactColumn);
}

/** Returns the declared types of the existing columns. */
function columnsIn(database: Database, { name }: Table): Map<string, string> {
  const rows = database.all('SELECT name, type FROM pragma_table_info(?)', name);
  return new Map(rows.map((row) => [String(row.name), String(row.type)]));
}

function viewIn(database: Database, name: string): unknown {
  return database.get("SELECT sql FROM sqlite_schema WHERE type = 'view' AND name = ?", name)?.sql;
}

/**
 * Converts an SQLite error to a failure. Our SQL fits the tables that we create, so another program must have changed
 * them.
 */
function withMirrorFailures<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!isSqliteError(error)) throw error;
    throw new Failure('unavailable', `Writing to the mirror ${file} failed: ${error.message}.`, {
      hint: boh.hint`Another program changed its tables. Revert that, or start over: ${boh.mirror('mirror reset')}`,
      cause: error,
    });
  }
}
