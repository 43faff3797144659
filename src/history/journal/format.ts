/** Defines the file format of a journal: its identification, its tables, and its name in messages. */
import type { Database } from '../../storage/database.ts';
import type { FileDescription } from '../../storage/failures.ts';
import { fileFormats } from '../../storage/formats.ts';
import type { DatabaseFormat } from '../../storage/open.ts';

/**
 * Each row of commands, entries, outcomes and marks is a link of one chain, in the order of `seq`. Its `digest` covers
 * its content and its own salt; its `hash` covers the digest and the hash before it. Forgotten content is deleted
 * together with its salt, and the chain stays intact. Writes go to the queue first, and move to the tables when the
 * journal is read; see enter-queued.ts.
 */
function createTables(database: Database): void {
  database.script(`
    CREATE TABLE accounts (
      id INTEGER PRIMARY KEY,
      key TEXT NOT NULL UNIQUE,
      business TEXT,
      business_name TEXT,
      user TEXT,
      user_name TEXT
    );
    CREATE TABLE commands (
      id INTEGER PRIMARY KEY,
      seq INTEGER NOT NULL,
      at INTEGER NOT NULL,
      run TEXT NOT NULL,
      account INTEGER NOT NULL,
      content TEXT,
      salt TEXT,
      digest TEXT NOT NULL,
      hash TEXT NOT NULL
    );
    CREATE INDEX commands_of_run ON commands (run);
    CREATE TABLE entries (
      number INTEGER PRIMARY KEY,
      seq INTEGER NOT NULL,
      at INTEGER NOT NULL,
      command INTEGER NOT NULL,
      part TEXT,
      resource TEXT,
      verb TEXT,
      id TEXT,
      fields TEXT NOT NULL,
      content TEXT,
      salt TEXT,
      digest TEXT NOT NULL,
      hash TEXT NOT NULL
    );
    CREATE INDEX entries_of_command ON entries (command);
    CREATE INDEX entries_of_record ON entries (resource, id) WHERE id IS NOT NULL;
    CREATE INDEX entries_of_resource ON entries (resource);
    CREATE INDEX entries_of_time ON entries (at);
    CREATE TABLE outcomes (
      number INTEGER PRIMARY KEY,
      seq INTEGER NOT NULL,
      at INTEGER NOT NULL,
      outcome TEXT NOT NULL,
      content TEXT,
      salt TEXT,
      digest TEXT NOT NULL,
      hash TEXT NOT NULL
    );
    CREATE INDEX outcomes_of_seq ON outcomes (seq);
    CREATE TABLE marks (
      seq INTEGER PRIMARY KEY,
      at INTEGER NOT NULL,
      kind TEXT NOT NULL,
      content TEXT NOT NULL,
      digest TEXT NOT NULL,
      hash TEXT NOT NULL
    );
    CREATE TABLE chain_end (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      seq INTEGER NOT NULL,
      number INTEGER NOT NULL,
      hash TEXT NOT NULL
    );
    INSERT INTO chain_end VALUES (1, 0, 0, '');
    CREATE TABLE queue (
      place INTEGER PRIMARY KEY,
      hash TEXT NOT NULL,
      content TEXT NOT NULL
    );
    CREATE TABLE tail (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      place INTEGER NOT NULL,
      number INTEGER NOT NULL,
      hash TEXT NOT NULL,
      entered_place INTEGER NOT NULL,
      entered_hash TEXT NOT NULL
    );
    INSERT INTO tail VALUES (1, 0, 0, '', 0, '');
  `);
}

/** Returns the file format of a journal. */
export function journalFormat(file: string): DatabaseFormat & FileDescription {
  return {
    file,
    ...fileFormats.history,
    createTables,
    remedy: `Rename ${file} and its -wal file, so that the next write creates a new history; or restore both from a backup.`,
    durability: 'process',
    // This is about the size of twenty single writes.
    maxKeptLogBytes: 1_000_000,
    // A run of thousands of writes shouldn't sync the disk every few moments.
    checkpointPages: 16_000,
    // The journal contains the content of records.
    isPrivate: true,
    busyTimeoutMs: 2000,
    functions: {},
  };
}
