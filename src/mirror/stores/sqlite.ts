/** Stores a mirror in a SQLite file. */
import { Failure } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Database } from '../../storage/database.ts';
import { isSqliteError } from '../../storage/failures.ts';
import { FairQueue } from '../../storage/fair-queue.ts';
import { type DatabaseFormat, openFile } from '../../storage/open.ts';
import { scrub } from '../../storage/scrub.ts';
import type { MirroredResource } from '../schema/derive.ts';
import { type State, stateOf, stateTable } from '../schema/state.ts';
import type { Table } from '../schema/table.ts';
import { indexesOf } from './ddl.ts';
import { columnsByTable, type MissingPart, missingParts, stateResets } from './missing-parts.ts';
import type { Sql } from './sql.ts';
import { SqliteChanges } from './sqlite-changes.ts';
import { describeMirrorFile } from './sqlite-format.ts';
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
      isDone: (database) => missingIn(database, resources).length === 0,
      run: (database) => {
        const parts = missingIn(database, resources);
        for (const { statements } of parts) for (const sql of statements) database.script(sql);
        for (const change of stateResets(statesInFile(database), parts)) changes.apply(database, change);
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

/** Returns what the file lacks. */
function missingIn(database: Database, resources: readonly MirroredResource[]): MissingPart[] {
  const columns = database.all(
    `SELECT objects.name AS table_name, columns.name AS column_name
     FROM sqlite_schema objects JOIN pragma_table_info(objects.name) columns WHERE objects.type = 'table'`,
  );
  const views = database.all("SELECT name, sql FROM sqlite_schema WHERE type = 'view'");
  const sqlByView = new Map(views.map(({ name, sql }) => [name, sql]));
  return missingParts('sqlite', resources, {
    columns: columnsByTable(columns),
    hasView: ({ name, sql }) => sqlByView.get(name) === sql,
  });
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
