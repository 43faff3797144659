/** Opens a file of boh’s own in the form that this version uses: made where there is none, brought up to date where it is older. */
import { chmodSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { asOwnerOf } from '../base/as-owner.ts';
import type { Connection } from './connection.ts';
import { createFile } from './create.ts';
import { Database } from './database.ts';
import { isOfSqlite, StorageFailure, storageError } from './failures.ts';
import { type FileFormat, headerProblem } from './formats.ts';

/** How files of one format are made and used. */
export interface Form extends Omit<Connection, 'file'>, FileFormat {
  /**
   * Each brings the content one version further, and is never changed once it has been released; a new file goes
   * through all of them. Absent where the version follows from something else, which the upkeep sees to.
   */
  steps?: readonly ((database: Database) => void)[];
  /** Bytes that a new file is divided into; SQLite’s usual 4096 without a figure. Larger ones are fewer, where rows come by the thousand. */
  pageSize?: number | undefined;
  /** What follows from something else than the version, and is looked at whenever a file is opened. */
  upkeep?: Upkeep | undefined;
  /** Closed to everybody else where it isn’t: all that is made is, and some may be left open by an older boh or a copy. */
  isPrivate?: boolean | undefined;
}

export interface Upkeep {
  /** Found out without writing. */
  isDone(database: Database): boolean;
  /** Inside a transaction, after the steps. */
  do(database: Database): void;
}

/**
 * Refuses what is damaged, of another kind or newer, and leaves it as it is. `fill` is what a new file begins with,
 * in the same transaction that makes it. Root does this as the owner of the folder; SQLite gives what it keeps beside a
 * file to that one’s owner by itself.
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
        // It is told of the file that was to be made.
        throw error instanceof StorageFailure ? error.with({ naming: connection }) : error;
      }
    });
  }
  const database = new Database(connection);
  try {
    checkForm(database, form);
    // Only what is known to be ours: others’ files, and devices, are refused as they are.
    if (form.isPrivate && found && (found.mode & forOthers) !== 0) chmodSync(file, 0o600);
    // Readers and one writer at a time don't stand in each other's way.
    database.get('PRAGMA journal_mode = WAL');
    bringUpToDate(database, form);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

const forOthers = 0o077;

/** Throws for what can't be used. */
function checkForm(database: Database, form: Form): void {
  const problem = headerProblem(form, (name) => pragma(database, name));
  if (problem !== undefined) throw database.failure(problem);
}

/** Whoever comes second, of two processes that open an old file at once, finds nothing left to do. */
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

/** A step that SQLite can't do on what is there: the file isn't of the version that it says it is. */
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
