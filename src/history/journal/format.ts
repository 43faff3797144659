/** Defines the file format of a journal: its identification, its tables, and its name in messages. */
import type { Database } from '../../storage/database.ts';
import type { FileDescription } from '../../storage/failures.ts';
import { fileFormats } from '../../storage/formats.ts';
import type { DatabaseFormat } from '../../storage/open.ts';

/**
 * Creates the tables. Writes go to the queue first, and move to the other tables when the journal is read; see
 * enter-queued.ts. `place` columns are queue positions, by which copies find what has changed: that of an outcome, and the
 * one at which the content or the command line of an entry was forgotten.
 */
function createTables(database: Database): void {
  database.script(`
    CREATE TABLE commands (
      id INTEGER PRIMARY KEY,
      at INTEGER NOT NULL,
      run TEXT NOT NULL,
      content TEXT
    );
    CREATE INDEX commands_of_run ON commands (run);
    CREATE TABLE entries (
      number INTEGER PRIMARY KEY,
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
      number INTEGER PRIMARY KEY,
      at INTEGER NOT NULL,
      outcome TEXT NOT NULL,
      content TEXT,
      place INTEGER NOT NULL
    );
    CREATE INDEX outcomes_of_place ON outcomes (place);
    CREATE TABLE queue (
      place INTEGER PRIMARY KEY,
      content TEXT NOT NULL
    );
    CREATE TABLE tail (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      place INTEGER NOT NULL,
      number INTEGER NOT NULL,
      entered_place INTEGER NOT NULL,
      entered_number INTEGER NOT NULL,
      dropped_number INTEGER NOT NULL,
      journal_id TEXT NOT NULL
    );
    INSERT INTO tail VALUES (1, 0, 0, 0, 0, 0, lower(hex(randomblob(16))));
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
