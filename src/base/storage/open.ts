/** Opens boh's own files, and creates missing ones. */
import { chmodSync, rmSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { elapsedMs } from '../stopwatch.ts';
import { loadContent } from './copy.ts';
import { createFile } from './create.ts';
import { type ConnectionSettings, Database, fileUrl } from './database.ts';
import { isBusy, StorageFailure, toStorageError } from './failures.ts';
import { type FileFormat, headerProblem } from './formats.ts';

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
 * Opens a file. Refuses damaged and foreign files, and files of another version, without changing them. `writeContent`
 * writes the initial content of a new file in the transaction that creates it.
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

/** Opens a database in memory with the content that `readContent` returned. */
export function openContent(bytes: Uint8Array, format: DatabaseFormat): Database {
  const database = new Database({ ...format, file: ':memory:' });
  loadContent(database, bytes);
  maintain(database, format.upkeep);
  return database;
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
    const problem = headerProblem(format, (name) => database.get(`PRAGMA ${name}`)?.[name]);
    if (problem !== undefined) throw database.failure(problem);
    // The header is checked first: foreign files and devices stay unchanged.
    if (format.isPrivate && existingStats && (existingStats.mode & otherUsersMode) !== 0)
      chmodSync(file, 0o600);
    enableWal(database, format.busyTimeoutMs);
    maintain(database, format.upkeep);
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
      // The first read creates the log, so that a full disk is reported now.
      database.get('PRAGMA user_version');
      return;
    } catch (error) {
      if (!isBusy(error) || elapsedMs() - startMs >= waitMs) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, walRetryMs);
    }
  }
}

/** Runs the upkeep. If two processes do this at once, the second one finds that it is done. */
function maintain(database: Database, upkeep: Upkeep | undefined): void {
  if (!upkeep || upkeep.isDone(database)) return;
  database.write(() => {
    if (!upkeep.isDone(database)) database.checkStored(() => upkeep.run(database));
  });
}

function initialize(
  database: Database,
  { pageSize, createTables, upkeep, applicationId, version }: DatabaseFormat,
  writeContent?: (database: Database) => void,
): Database {
  if (pageSize !== undefined) database.script(`PRAGMA page_size = ${pageSize}`);
  database.write(() => {
    createTables?.(database);
    upkeep?.run(database);
    database.script(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${version}`);
    writeContent?.(database);
  });
  return database;
}

/**
 * Removes the log beside a file if the file has another identity without it: another file was moved here after a process
 * was killed. `sql` reads the identity. Files that can't be read are left for the code that opens them.
 */
export function removeForeignLog(file: string, sql: string): void {
  if (!statSync(`${file}-wal`, { throwIfNoEntry: false })?.size) return;
  const [own, withLog] = [identityOf(fileUrl(file, 'immutable=1'), sql), identityOf(file, sql)];
  const isReadable = own !== undefined && own !== damaged && withLog !== undefined;
  if (!isReadable || own === withLog) return;
  for (const part of ['-wal', '-shm']) rmSync(file + part, { force: true });
}

const damaged = 'damaged';
/** SQLite's codes for a file that is damaged or isn't a database: a foreign log can make it so. */
const damageCodes = [11, 26];

/** Returns the identity; `damaged` if the content contradicts itself, and undefined if the file can't be read now. */
function identityOf(location: string, sql: string): string | undefined {
  try {
    const connection = new DatabaseSync(location, { readOnly: true });
    try {
      return JSON.stringify(connection.prepare(sql).get());
    } finally {
      connection.close();
    }
  } catch (error) {
    return damageCodes.includes(Number((error as { errcode?: number }).errcode)) ? damaged : undefined;
  }
}
