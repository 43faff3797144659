/**
 * The log of an account: one SQLite file with its runs, the journal of writes, and its change sets. What a run sends and
 * its journal entries are written together, so within a process all parts use one connection.
 */
import { join } from 'node:path';
import type { Database } from '../../base/storage/database.ts';
import type { FileDescription } from '../../base/storage/failures.ts';
import { fileFormats } from '../../base/storage/formats.ts';
import { type DatabaseFormat, openFile } from '../../base/storage/open.ts';
import { createRunTables } from './ledger/format.ts';

/** Returns the file of the log in the folder of an account. */
export function logFile(folder: string): string {
  return join(folder, 'history.sqlite');
}

/**
 * Creates the tables. `runs` has the ID of each run, and the ledger of those that are in a file of their own. Numbers of
 * entries are never reused. `touched` has the fields that the plan of a change set changes. By the places of outcomes, copies find what has changed: `forgotten_place` is the one at which
 * the content or the command line of an entry was forgotten.
 */
function createTables(database: Database): void {
  createRunTables(database);
  database.script(`
    CREATE TABLE runs (
      run INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      file TEXT
    );
    CREATE TABLE commands (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      at INTEGER NOT NULL,
      run TEXT NOT NULL,
      content TEXT
    );
    CREATE INDEX commands_of_run ON commands (run);
    CREATE TABLE entries (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      at INTEGER NOT NULL,
      command INTEGER NOT NULL,
      part TEXT,
      resource TEXT,
      verb TEXT,
      id TEXT,
      fields TEXT NOT NULL,
      content TEXT,
      forgotten_place INTEGER
    );
    CREATE INDEX entries_of_command ON entries (command);
    CREATE INDEX entries_of_record ON entries (resource, id) WHERE id IS NOT NULL;
    CREATE INDEX entries_of_resource ON entries (resource);
    CREATE INDEX entries_of_time ON entries (at);
    CREATE INDEX entries_of_forgotten_place ON entries (forgotten_place) WHERE forgotten_place IS NOT NULL;
    CREATE TABLE outcomes (
      place INTEGER PRIMARY KEY AUTOINCREMENT,
      number INTEGER NOT NULL UNIQUE,
      at INTEGER NOT NULL,
      outcome TEXT NOT NULL,
      content TEXT
    );
    INSERT INTO sqlite_sequence VALUES ('entries', 0), ('outcomes', 0);
    CREATE TABLE journal (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      id TEXT NOT NULL,
      dropped_number INTEGER NOT NULL
    );
    INSERT INTO journal VALUES (1, lower(hex(randomblob(16))), 0);
    CREATE TABLE sets (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL,
      state TEXT NOT NULL,
      startsAt INTEGER NOT NULL,
      endsAt INTEGER,
      zone TEXT NOT NULL,
      graceMs INTEGER NOT NULL,
      onChanged TEXT NOT NULL,
      note TEXT,
      summary TEXT NOT NULL,
      createdAt INTEGER NOT NULL,
      run TEXT NOT NULL,
      allow TEXT,
      begunAt INTEGER,
      returnRun TEXT,
      returnedAt INTEGER,
      reason TEXT
    );
    CREATE INDEX sets_by_name ON sets (name);
    CREATE TABLE touched (
      set_id INTEGER NOT NULL,
      resource TEXT NOT NULL,
      record TEXT NOT NULL,
      field TEXT NOT NULL,
      PRIMARY KEY (set_id, resource, record, field)
    ) WITHOUT ROWID;
    CREATE INDEX touched_by_record ON touched (resource, record);
  `);
}

export function logFormat(file: string): DatabaseFormat & FileDescription {
  return {
    file,
    ...fileFormats.history,
    createTables,
    remedy: `Rename ${file} (and its -wal file, if it exists), so that the next write creates a new history; or restore a backup of it.`,
    durability: 'process',
    // A run of thousands of writes shouldn't sync the disk every few moments.
    checkpointPages: 16_000,
    // The log contains the content of records.
    isPrivate: true,
    busyTimeoutMs: 5000,
    functions: {},
  };
}

/** The log as one of its users in this process has it. */
export interface OpenLog {
  database: Database;
  /** Closes the connection after its last user. */
  close(): void;
}

const openLogs = new Map<string, { database: Database; users: number }>();

/** Opens a log with the connection that this process already has, if it has one. Creates a missing file. */
export function openLog(file: string): OpenLog {
  const current = openLogs.get(file);
  const log =
    current && !current.database.isMoved ? current : { database: openFile(file, logFormat(file)), users: 0 };
  openLogs.set(file, log);
  log.users++;
  let isOpen = true;
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    if (--log.users > 0) return;
    if (openLogs.get(file) === log) openLogs.delete(file);
    log.database.close();
  };
  return { database: log.database, close };
}
