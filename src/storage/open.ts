/** Opens boh's own files: creates missing ones and upgrades older ones. */
import { chmodSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { asOwnerOf } from '../base/as-owner.ts';
import { elapsedMs } from '../base/stopwatch.ts';
import type { Connection } from './connection.ts';
import { createFile } from './create.ts';
import { Database } from './database.ts';
import { isBusy, isOfSqlite, StorageFailure, storageError } from './failures.ts';
import { type FileFormat, headerProblem } from './formats.ts';

/** How files of one format are created and used. */
export interface Form extends Omit<Connection, 'file'>, FileFormat {
  /**
   * Each step upgrades the content by one version, and never changes after a release; a new file runs all of them.
   * Undefined if the version follows from something else, which the upkeep maintains.
   */
  steps?: readonly ((database: Database) => void)[];
  /** The page size of a new file in bytes; the default is SQLite's 4096. Larger pages suit thousands of rows. */
  pageSize?: number | undefined;
  /** Maintains content that doesn't depend on the version, whenever a file is opened. */
  upkeep?: Upkeep | undefined;
  /** Removes the permissions of other users, which older versions of boh or copies may have left. */
  isPrivate?: boolean | undefined;
}

export interface Upkeep {
  /** Whether upkeep is needed; doesn't write. */
  isDone(database: Database): boolean;
  /** Runs the upkeep inside a transaction, after the steps. */
  do(database: Database): void;
}

/**
 * Opens a file. Refuses damaged, foreign and newer files without changing them. `fill` writes the first content of a new
 * file in the transaction that creates it. Root does this as the owner of the folder; SQLite gives its other files to the
 * same owner.
 */
export function openFile(file: string, form: Form, fill?: (database: Database) => void): Database {
  const connection = { ...form, file };
  if (file === ':memory:') return made(new Database(connection), form, fill);
  try {
    return asOwnerOf(dirname(file), () => opened(connection, form, fill));
  } catch (error) {
    throw storageError(error, connection);
  }
}

function opened(connection: Connection, form: Form, fill?: (database: Database) => void): Database {
  const { file } = connection;
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) {
    createFile(connection, (draft) => {
      try {
        const database = made(new Database({ ...form, file: ':memory:' }), form, fill);
        database.copyTo(draft);
        database.close();
      } catch (error) {
        // The failure names the file that was to be created.
        throw error instanceof StorageFailure ? error.with({ naming: connection }) : error;
      }
    });
  }
  const database = new Database(connection);
  try {
    checkForm(database, form);
    // Only for files that are ours; other files and devices are refused unchanged.
    if (form.isPrivate && found && (found.mode & forOthers) !== 0) chmodSync(file, 0o600);
    useLog(database, form.wait);
    bringUpToDate(database, form);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

const forOthers = 0o077;

/** How long to wait before the mode of a new file is set again. */
const retryMs = 5;

/**
 * Sets the WAL mode, in which readers and the writer don't block each other. SQLite itself doesn't wait if another process
 * opens the new file at the same time.
 */
function useLog(database: Database, waitMs: number): void {
  for (const began = elapsedMs(); ; ) {
    try {
      database.get('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (!isBusy(error) || elapsedMs() - began >= waitMs) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryMs);
    }
  }
}

/** Throws if the file can't be used. */
function checkForm(database: Database, form: Form): void {
  const problem = headerProblem(form, (name) => pragma(database, name));
  if (problem !== undefined) throw database.failure(problem);
}

/** Upgrades the file. If two processes do so at once, the second one finds it done. */
function bringUpToDate(database: Database, form: Form): void {
  if (isUpToDate(database, form)) return;
  database.write(() => {
    checkForm(database, form);
    if (!isUpToDate(database, form)) advanceOld(database, form);
  });
}

function made(database: Database, form: Form, fill?: (database: Database) => void): Database {
  if (form.pageSize !== undefined) database.script(`PRAGMA page_size = ${form.pageSize}`);
  database.write(() => {
    advance(database, form);
    fill?.(database);
  });
  return database;
}

/** Returns the failure for a step that SQLite can't run: the content doesn't match the version in the header. */
function advanceOld(database: Database, form: Form): void {
  try {
    advance(database, form);
  } catch (error) {
    throw isOfSqlite(error) ? database.damaged(error) : error;
  }
}

function isUpToDate(database: Database, { applicationId, version, upkeep }: Form): boolean {
  const isCurrent =
    pragma(database, 'user_version') === version && pragma(database, 'application_id') === applicationId;
  return isCurrent && upkeep?.isDone(database) !== false;
}

function advance(database: Database, { applicationId, version, steps, upkeep }: Form): void {
  if (steps && steps.length !== version)
    throw new Error(`${steps.length} steps don't make version ${version}`);
  for (const step of steps?.slice(Number(pragma(database, 'user_version'))) ?? []) step(database);
  upkeep?.do(database);
  database.script(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${version}`);
}

function pragma(database: Database, name: string): unknown {
  return database.get(`PRAGMA ${name}`)?.[name];
}
