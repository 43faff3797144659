/** Describes the file of a ledger: its format, its tables, and its names in messages. */
import type { Database } from '../../storage/database.ts';
import type { FileDescription } from '../../storage/failures.ts';
import { fileFormats } from '../../storage/formats.ts';
import type { DatabaseFormat } from '../../storage/open.ts';

/** The SQL expression for the ID in the response of a row whose error says that another record has that ID. */
export const responseIdSql = "json_extract(error, '$.answered.id')";

function createTables(database: Database): void {
  database.script(`
    CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE rows (
      seq INTEGER PRIMARY KEY,
      line INTEGER,
      key TEXT,
      match TEXT,
      intent TEXT,
      steps TEXT,
      changes TEXT,
      raw TEXT
    );
    CREATE INDEX rows_by_match ON rows (match) WHERE match IS NOT NULL;
    CREATE TABLE progress (
      seq INTEGER PRIMARY KEY,
      state TEXT NOT NULL,
      action TEXT,
      id TEXT,
      step INTEGER NOT NULL,
      error TEXT,
      sent_at INTEGER,
      tries INTEGER NOT NULL
    );
  `);
}

/** Adds names, by which other rows refer to a row, and resources, for runs that write to several. */
function addNames(database: Database): void {
  database.script(`
    ALTER TABLE rows ADD COLUMN name TEXT;
    ALTER TABLE rows ADD COLUMN resource TEXT;
    CREATE UNIQUE INDEX rows_by_name ON rows (name) WHERE name IS NOT NULL;
  `);
}

/** Adds indexes for the query after each creation: rows whose record has the new ID, or whose response contained it. */
function addIdIndexes(database: Database): void {
  database.script(`
    CREATE INDEX IF NOT EXISTS progress_by_id ON progress (id) WHERE id IS NOT NULL;
    CREATE INDEX IF NOT EXISTS progress_by_answer ON progress (${responseIdSql}) WHERE state = 'unknown';
  `);
}

/** Returns the format of a ledger file, with its messages. */
export function ledgerFormat(file: string): DatabaseFormat & FileDescription {
  return {
    file,
    ...fileFormats.ledger,
    steps: [createTables, addNames, addIdIndexes],
    remedy: `Check the records in the account before you run it again; then rename ${file}.`,
    durability: 'process',
    // A run should seldom wait for the disk, and not while it is planned: the file is synced once at its end.
    checkpointPages: 8000,
    // The file contains values of records.
    isPrivate: true,
    busyTimeoutMs: 5000,
    functions: {},
  };
}
