/** Opens a mirror for writing or reading. */
import { existsSync } from 'node:fs';
import type { Sql } from '../../../api/sql/sql.ts';
import { Failure } from '../../../base/errors.ts';
import { boh } from '../../../base/hint.ts';
import type { Database } from '../../../base/storage/database.ts';
import { isSqliteError } from '../../../base/storage/failures.ts';
import { type DatabaseFormat, openFile } from '../../../base/storage/open.ts';
import { quoteName } from '../../../base/storage/quote-name.ts';
import { type Parameters, ReadOnlyDatabase } from '../../../base/storage/read-only.ts';
import { retryWhileBusy } from '../../../base/storage/retry-while-busy.ts';
import { scrub } from '../../../base/storage/scrub.ts';
import type { MirroredResource } from '../schema/derive.ts';
import { exactColumn, numericColumns, sqliteRows, sqliteTable } from '../schema/numbers.ts';
import { type State, stateOf, stateTable } from '../schema/state.ts';
import type { MirrorTarget } from '../target.ts';
import { changeAllStatement, createViewStatement, dropStatement, putStatement, textLiteral } from './ddl.ts';
import { columnsByTable, type MissingPart, missingParts, stateResets } from './missing-parts.ts';
import { openPostgres } from './postgres.ts';
import { queryInThread } from './query-in-thread.ts';
import { openPostgresReader } from './read-postgres.ts';
import { describeMirrorFile, readerFormat } from './sqlite-format.ts';
import type { Reader, Store, StoreChange, StoredRow } from './store.ts';

/** Opens a mirror for writing; creates it if it doesn't exist, and updates its tables. */
export async function openStore(
  target: MirrorTarget,
  resources: readonly MirroredResource[],
): Promise<Store> {
  if (target.kind === 'postgres') return openPostgres(target, resources);
  return openSqlite(target.file, resources);
}

/** Opens an existing mirror for writing. Throws `not_found` if there is none. */
export async function openExistingStore(
  target: MirrorTarget,
  resources: readonly MirroredResource[],
): Promise<Store> {
  const reader = await openReader(target);
  await reader.close();
  return openStore(target, resources);
}

/** Opens a mirror like `openReader`, runs the work, and closes the mirror. */
export async function withReader<Value>(
  target: MirrorTarget,
  work: (reader: Reader) => Promise<Value>,
): Promise<Value> {
  const reader = await openReader(target);
  try {
    return await work(reader);
  } finally {
    await reader.close();
  }
}

/**
 * Opens a mirror for reading. Throws `not_found` if there is none. With `allowsAnyVersion`, only tables that every version
 * has can be read.
 */
export async function openReader(target: MirrorTarget, { allowsAnyVersion = false } = {}): Promise<Reader> {
  if (target.kind === 'postgres') return openPostgresReader(target, allowsAnyVersion);
  const { file } = target;
  if (!existsSync(file)) {
    throw new Failure('not_found', `Mirror not found: ${file}`, {
      hint: boh.hint`To create it: ${boh.mirror('mirror sync')}`,
    });
  }
  const format = readerFormat(file);
  const database = new ReadOnlyDatabase(allowsAnyVersion ? { ...format, version: undefined } : format);
  return {
    label: file,
    dialect: 'sqlite',
    read: async (query) => database.all(query.textFor('sqlite'), query.values),
    beginSnapshot: async () => database.beginSnapshot(),
    rows: async (sql: string, parameters: Parameters) => queryInThread({ file, sql, parameters }),
    close: async () => database.close(),
  };
}

/** Opens the file as a mirror; creates the file and missing tables, columns, indexes and views. */
export async function openSqlite(file: string, resources: readonly MirroredResource[]): Promise<Store> {
  const run = <T>(work: () => T): Promise<T> =>
    retryWhileBusy(() => withMirrorFailures(file, work), { timeoutMs: lockTimeoutMs });
  const database = await run(() => openFile(file, formatOf(file, resources)));
  // Hundreds of thousands of rows change all parts of the indexes: a cache of 32 MB keeps the indexes in memory.
  database.script('PRAGMA cache_size = -32768');
  const write = (changes: readonly StoreChange[]): Promise<void> =>
    run(() =>
      database.write(() => {
        for (const change of changes) apply(database, change);
      }),
    );
  return {
    label: file,
    dialect: 'sqlite',
    write,
    scrub: async (changes) => {
      await write(changes);
      await scrub(database);
    },
    read: (query: Sql) => run(() => database.all(query.textFor('sqlite'), ...query.values) as StoredRow[]),
    close: async () => database.close(),
  };
}

function formatOf(file: string, resources: readonly MirroredResource[]): DatabaseFormat {
  return {
    ...describeMirrorFile(file),
    durability: 'process',
    // The process must be able to handle signals while it waits: `retryWhileBusy` waits for other processes.
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
        for (const sql of parts.flatMap(({ statements }) => statements)) database.script(sql);
        for (const sql of parts.flatMap(({ viewStatements }) => viewStatements)) database.script(sql);
        for (const change of stateResets(statesInFile(database), parts)) apply(database, change);
      },
    },
  };
}

/** Applies a change, inside a transaction that the caller begins and ends. */
function apply(database: Database, change: StoreChange): void {
  const table = sqliteTable(change.table);
  if (change.kind === 'put') {
    database.runEach(putStatement('sqlite', table, 1), sqliteRows(change.table, change.rows));
  } else if (change.kind === 'drop') {
    const valueRows = change.values.map((value) => [value]);
    database.runEach(dropStatement('sqlite', table, change.column, 1), valueRows);
  } else {
    database.run(changeAllStatement(change));
    if (change.kind === 'blank') blankDigits(database, change);
  }
}

/** Removes the exact digits of columns that were emptied. */
function blankDigits(database: Database, { table, columns }: Extract<StoreChange, { kind: 'blank' }>): void {
  const paths = numericColumns(table).flatMap(({ name }) =>
    columns.includes(name) ? [textLiteral(`$.${quoteName(name)}`)] : [],
  );
  if (paths.length === 0) return;
  database.run(
    `UPDATE ${quoteName(table.name)} SET ${exactColumn} = nullif(json_remove(${exactColumn}, ${paths.join(', ')}), '{}')
     WHERE ${exactColumn} IS NOT NULL`,
  );
}

function statesInFile(database: Database): Map<string, State> {
  const states = database.all(`SELECT * FROM ${stateTable.name}`).map(stateOf);
  return new Map(states.map((state) => [state.resource, state]));
}

/** The maximum time to wait for another process that writes to the file, in milliseconds. */
const lockTimeoutMs = 10_000;

/** Returns what the file lacks. */
function missingIn(database: Database, resources: readonly MirroredResource[]): MissingPart[] {
  const columns = database.all(
    `SELECT objects.name AS table_name, columns.name AS column_name
     FROM sqlite_schema objects JOIN pragma_table_info(objects.name) columns WHERE objects.type = 'table'`,
  );
  const objects = database.all("SELECT name, sql FROM sqlite_schema WHERE type IN ('index', 'view')");
  const sqlByName = new Map(objects.map(({ name, sql }) => [String(name), sql]));
  return missingParts('sqlite', resources, {
    columns: columnsByTable(columns),
    indexes: new Set(sqlByName.keys()),
    hasView: (view) => sqlByName.get(view.name) === createViewStatement(view),
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
