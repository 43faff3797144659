/** Opens boh's own files, and creates missing ones. */
import { chmodSync, statSync } from 'node:fs';
import { elapsedMs } from '../base/stopwatch.ts';
import type { ConnectionSettings } from './connection.ts';
import { createFile } from './create.ts';
import { Database } from './database.ts';
import { isBusy, StorageFailure, toStorageError } from './failures.ts';
import { type FileFormat, headerProblem } from './formats.ts';

/** A file format with its connection settings and its content. */
export interface DatabaseFormat extends Omit<ConnectionSettings, 'file'>, FileFormat {
  /** Creates the content of a new file; undefined if `upkeep` creates it. */
  createTables?: ((database: Database) => void) | undefined;
  /** The page size of a new file in bytes; the default is SQLite's 4096. Larger pages suit thousands of rows. */
  pageSize?: number | undefined;
  /** Maintains the content whenever a file is opened. */
  upkeep?: Upkeep | undefined;
  /** Whether to remove the permissions of other users, which copies may have. */
  isPrivate?: boolean | undefined;
}

/** Content that is updated whenever a file is opened, for example indexes that follow from the contract. */
export interface Upkeep {
  /** Returns whether the content is up to date, without writing. */
  isDone(database: Database): boolean;
  /** Updates the content; called inside a transaction. */
  run(database: Database): void;
}

/**
 * Opens a file. Refuses damaged, foreign and newer files without changing them. `writeContent` writes the initial content of
 * a new file in the transaction that creates it.
 */
export function openFile(
  file: string,
  format: DatabaseFormat,
  writeContent?: (database: Database) => void,
): Database {
  const connection = { ...format, file };
  if (file === ':memory:') return initialize(new Database(connection), format, writeContent);
  try {
    return openExisting(connection, format, writeContent);
  } catch (error) {
    throw toStorageError(error, connection);
  }
}

function openExisting(
  connection: ConnectionSettings,
  format: DatabaseFormat,
  writeContent?: (database: Database) => void,
): Database {
  const { file } = connection;
  const existingStats = statSync(file, { throwIfNoEntry: false });
  if (!existingStats) {
    createFile(connection, (draft) => {
      try {
        const database = initialize(new Database({ ...format, file: ':memory:' }), format, writeContent);
        database.copyTo(draft);
        database.close();
      } catch (error) {
        // The failure names the file that was to be created.
        throw error instanceof StorageFailure ? error.copyWith({ description: connection }) : error;
      }
    });
  }
  const database = new Database(connection);
  try {
    checkHeader(database, format);
    // The header is checked first: foreign files and devices stay unchanged.
    if (format.isPrivate && existingStats && (existingStats.mode & otherUsersMode) !== 0)
      chmodSync(file, 0o600);
    enableWal(database, format.busyTimeoutMs);
    update(database, format);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

const otherUsersMode = 0o077;

/** The delay before the WAL mode is set again, in milliseconds. */
const walRetryMs = 5;

/**
 * Sets the WAL mode, in which readers and the writer don't block each other. SQLite itself doesn't wait if another process
 * opens the new file at the same time.
 */
function enableWal(database: Database, waitMs: number): void {
  for (const startMs = elapsedMs(); ; ) {
    try {
      database.get('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (!isBusy(error) || elapsedMs() - startMs >= waitMs) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, walRetryMs);
    }
  }
}

/** Throws if the file can't be used. */
function checkHeader(database: Database, format: DatabaseFormat): void {
  const problem = headerProblem(format, (name) => pragma(database, name));
  if (problem !== undefined) throw database.failure(problem);
}

/** Runs the upkeep. If two processes do this at once, the second one finds the file up to date. */
function update(database: Database, format: DatabaseFormat): void {
  if (isUpToDate(database, format)) return;
  database.write(() => {
    checkHeader(database, format);
    if (!isUpToDate(database, format)) database.checkStored(() => runUpkeep(database, format));
  });
}

function initialize(
  database: Database,
  format: DatabaseFormat,
  writeContent?: (database: Database) => void,
): Database {
  if (format.pageSize !== undefined) database.script(`PRAGMA page_size = ${format.pageSize}`);
  database.write(() => {
    format.createTables?.(database);
    runUpkeep(database, format);
    writeContent?.(database);
  });
  return database;
}

function isUpToDate(database: Database, { version, upkeep }: DatabaseFormat): boolean {
  return pragma(database, 'user_version') === version && upkeep?.isDone(database) !== false;
}

function runUpkeep(database: Database, { applicationId, version, upkeep }: DatabaseFormat): void {
  upkeep?.run(database);
  database.script(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${version}`);
}

function pragma(database: Database, name: string): unknown {
  return database.get(`PRAGMA ${name}`)?.[name];
}
