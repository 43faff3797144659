/** Defines the file format of a journal: its identification, its tables, and its name in messages. */
import type { Database } from '../../storage/database.ts';
import type { FileDescription } from '../../storage/failures.ts';
import { fileFormats } from '../../storage/formats.ts';
import type { DatabaseFormat } from '../../storage/open.ts';

/**
 * Each row of commands, entries, outcomes and marks is a link of one chain, in the order of `seq`. Its `digest` covers
 * its content and its own salt; its `hash` covers the digest and the hash before it. Forgotten content is deleted
 * together with its salt, and the chain stays intact.
 */
const firstTables = `
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
  CREATE INDEX entries_of_record ON entries (resource, id);
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
  CREATE TABLE head (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    seq INTEGER NOT NULL,
    number INTEGER NOT NULL,
    hash TEXT NOT NULL
  );
  INSERT INTO head VALUES (1, 0, 0, '');
`;

function createTables(database: Database): void {
  database.script(firstTables);
}

/**
 * Adds indexes to find the newest entries of a resource or since a time. The ID of a new record is stored with its
 * entry.
 */
function indexForReading(database: Database): void {
  database.script(`
    DROP INDEX entries_of_record;
    CREATE INDEX entries_of_record ON entries (resource, id) WHERE id IS NOT NULL;
    CREATE INDEX entries_of_resource ON entries (resource);
    CREATE INDEX entries_of_time ON entries (at);
  `);
}

/** Does nothing: this step added an index that later versions don't need. */
function addKinds(): void {}

/** Adds the queue: writes go there first and move to the tables when the journal is read; see enter-queued.ts. */
function addQueue(database: Database): void {
  database.script(`
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
    INSERT INTO tail SELECT 1, newest, number, '', newest, ''
    FROM head, (SELECT coalesce(max(id), 0) AS newest FROM commands);
  `);
}

/**
 * Renames the table with the end of the chain. Older versions write to the tables directly and read the end first. Such
 * a process may still be running: it then reports that its writes aren't recorded, instead of reusing numbers that the
 * queue has assigned.
 */
function blockOlderVersions(database: Database): void {
  database.script('ALTER TABLE head RENAME TO chain_end');
}

/** Removes the kinds of entries. Their column stays, because dropping it would rewrite the whole table. */
function dropKinds(database: Database): void {
  database.script(`
    DROP INDEX IF EXISTS entries_of_kind;
    DROP TABLE IF EXISTS kinds;
    CREATE INDEX IF NOT EXISTS entries_of_resource ON entries (resource);
  `);
}

/** Returns the file format of a journal. */
export function journalFormat(file: string): DatabaseFormat & FileDescription {
  return {
    file,
    ...fileFormats.history,
    steps: [createTables, indexForReading, addKinds, addQueue, blockOlderVersions, dropKinds],
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
