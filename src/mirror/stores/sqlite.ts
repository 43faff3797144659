/** Stores a mirror in a SQLite file. */
import { Failure } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Database } from '../../storage/database.ts';
import { isSqliteError } from '../../storage/failures.ts';
import { FairQueue } from '../../storage/fair-queue.ts';
import { type DatabaseFormat, openFile } from '../../storage/open.ts';
import { scrub } from '../../storage/scrub.ts';
import type { MirroredResource } from '../schema/derive.ts';
import { historyTable, historyTables } from '../schema/history-tables.ts';
import { sqliteTable } from '../schema/numbers.ts';
import { type State, stateOf, stateTable, systemTables } from '../schema/state.ts';
import type { Table } from '../schema/table.ts';
import { addColumnStatement, createTableStatement, dropViewStatement, indexesOf, wordsView } from './ddl.ts';
import type { Sql } from './sql.ts';
import { SqliteChanges } from './sqlite-changes.ts';
import { describeMirrorFile } from './sqlite-format.ts';
import { type CreatedTable, stateResets } from './state-resets.ts';
import { statementsOf } from './statements.ts';
import type { Store, StoreChange, StoredRow } from './store.ts';

/** Opens the file as a mirror; creates the file and missing tables, columns and views. */
export async function openSqlite(file: string, resources: readonly MirroredResource[]): Promise<Store> {
  const changes = new SqliteChanges(statementsOf('sqlite'));
  const queue = new FileQueue(file);
  const format = formatOf(file, resources, changes);
  return new SqliteStore(file, await queue.run(() => openFile(file, format)), { queue, changes });
}

function formatOf(
  file: string,
  resources: readonly MirroredResource[],
  changes: SqliteChanges,
): DatabaseFormat {
  return {
    ...describeMirrorFile(file),
    durability: 'process',
    // The process must be able to handle signals while it waits: `FairQueue` waits for other processes.
    busyTimeoutMs: 0,
    // The mirror may contain confidential data.
    isPrivate: true,
    pageSize: 8192,
    // A checkpoint runs when the write-ahead log has 40 MB.
    checkpointPages: 5000,
    functions: {},
    upkeep: {
      isDone: (database) => missingObjects(database, resources).length === 0,
      run: (database) => {
        const newObjects = missingObjects(database, resources);
        for (const { create } of newObjects) create(database);
        const resets = stateResets(
          statesInFile(database),
          newObjects.flatMap((object) => object.created ?? []),
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

  constructor(file: string, database: Database, parts: { queue: FileQueue; changes: SqliteChanges }) {
    this.label = file;
    this.#database = database;
    this.#queue = parts.queue;
    this.#changes = parts.changes;
    // Hundreds of thousands of rows change all parts of the indexes: a cache of 32 MB keeps the indexes in memory.
    database.script(cachePragmas.forRows);
  }

  write(changes: readonly StoreChange[]): Promise<void> {
    const apply = () => {
      for (const change of changes) this.#changes.apply(this.#database, change);
    };
    return this.#queue.run(() => this.#database.write(apply));
  }

  async scrub(changes: readonly StoreChange[]): Promise<void> {
    await this.write(changes);
    await scrub(this.#database);
  }

  read(query: Sql): Promise<StoredRow[]> {
    return this.#queue.run(() => this.#database.all(query.textFor('sqlite'), ...query.values) as StoredRow[]);
  }

  async createIndexes(tables: readonly Table[]): Promise<void> {
    const existingNames = new Set(this.#database.all(indexNamesSql).map(({ name }) => String(name)));
    const missingIndexes = tables.flatMap(indexesOf).filter(({ name }) => !existingNames.has(name));
    if (missingIndexes.length === 0) return;
    this.#database.script(cachePragmas.forSorting);
    try {
      for (const { sql } of missingIndexes) await this.#queue.run(() => this.#database.script(sql));
    } finally {
      this.#database.script(cachePragmas.forRows);
    }
  }

  async close(): Promise<void> {
    this.#database.close();
  }
}

function statesInFile(database: Database): Map<string, State> {
  const states = database.all(`SELECT * FROM ${stateTable.name}`).map(stateOf);
  return new Map(states.map((state) => [state.resource, state]));
}

/** The maximum time to wait for another process that writes to the file, in milliseconds. */
const lockTimeoutMs = 10_000;

/** The statements that set the cache size, in KiB. Sorting for an index needs the memory of the cache a second time, so the cache is smaller. */
const cachePragmas = {
  forRows: 'PRAGMA cache_size = -32768',
  forSorting: 'PRAGMA cache_size = -4096',
} as const;

const indexNamesSql = "SELECT name FROM sqlite_schema WHERE type = 'index'";

/** A table, column or view that has to be created. */
interface MissingObject {
  create(database: Database): void;
  /** The table whose list must be read again because of it; undefined if none. */
  created?: CreatedTable;
}

/** Returns the tables, columns and views to create, in order. Other tables and columns in the file aren't changed. */
function missingObjects(database: Database, resources: readonly MirroredResource[]): MissingObject[] {
  const systemObjects = systemTables.flatMap((table) => {
    const stateName = historyTables.includes(table) ? historyTable.name : undefined;
    return missingObjectsFor(database, table, stateName, table === historyTable);
  });
  const resourceObjects = resources.flatMap(({ resource: { name }, main, tables }) =>
    tables.flatMap((table) => missingObjectsFor(database, table, name, table === main)),
  );
  return [...systemObjects, ...resourceObjects];
}

function missingObjectsFor(
  database: Database,
  table: Table,
  stateName: string | undefined,
  isMain: boolean,
): MissingObject[] {
  const existingNames = readColumnNames(database, table);
  const isNew = existingNames.size === 0;
  const storedTable = sqliteTable(table);
  const missingColumns = storedTable.columns.filter(({ name }) => !existingNames.has(name));
  const statements = isNew
    ? [createTableStatement('sqlite', storedTable)]
    : missingColumns.map((column) => addColumnStatement('sqlite', table, column));
  const view = wordsView(table);
  const isViewCurrent = view === undefined || readViewSql(database, view.name) === view.sql;
  const runScript = (sql: string) => (target: Database) => target.script(sql);
  return [
    ...statements.map((sql) => ({ create: runScript(sql), created: { stateName, isLost: isMain && isNew } })),
    // The view has no data of its own, so it can be replaced.
    ...(view && !isViewCurrent
      ? [dropViewStatement(view), view.sql].map((sql) => ({ create: runScript(sql) }))
      : []),
  ];
}

function readColumnNames(database: Database, { name }: Table): Set<string> {
  return new Set(database.all('SELECT name FROM pragma_table_info(?)', name).map((row) => String(row.name)));
}

function readViewSql(database: Database, name: string): unknown {
  return database.get("SELECT sql FROM sqlite_schema WHERE type = 'view' AND name = ?", name)?.sql;
}

/**
 * Runs work and converts an SQLite error to a failure. The SQL is correct for the tables that boh creates, so another
 * program must have changed them.
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
