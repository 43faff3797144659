/** Defines the file format of a journal: its identification, its tables, and its name in messages. */
import type { Database } from '../../../base/storage/database.ts';
import type { FileDescription } from '../../../base/storage/failures.ts';
import { fileFormats } from '../../../base/storage/formats.ts';
import type { DatabaseFormat } from '../../../base/storage/open.ts';

/**
 * Creates the tables. Numbers of entries are never reused. By the places of outcomes, copies find what has changed:
 * `forgotten_place` is the one at which the content or the command line of an entry was forgotten.
 */
function createTables(database: Database): void {
  database.script(`
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
  `);
}

export function journalFormat(file: string): DatabaseFormat & FileDescription {
  return {
    file,
    ...fileFormats.history,
    createTables,
    remedy: `Rename ${file} (and its -wal file, if it exists), so that the next write creates a new history; or restore a backup of it.`,
    durability: 'process',
    // A run of thousands of writes shouldn't sync the disk every few moments.
    checkpointPages: 16_000,
    // The journal contains the content of records.
    isPrivate: true,
    busyTimeoutMs: 2000,
    functions: {},
  };
}
