/** Describes the file of a ledger: its format, its tables, and its names in messages. */
import type { Database } from '../../../base/storage/database.ts';
import type { FileDescription } from '../../../base/storage/failures.ts';
import { fileFormats } from '../../../base/storage/formats.ts';
import type { DatabaseFormat } from '../../../base/storage/open.ts';

/** The SQL expression for the ID in the response of a row whose error says that another record has that ID. */
export const responseIdSql = "json_extract(error, '$.answered.id')";

/**
 * Creates the tables of runs, which the log of an account and the ledger in a file of its own have in common; in such a
 * file `run` is 0. Other rows refer to a row by its `name`; `resource` is for runs that write to several. The last two
 * indexes are for the query after each creation: rows whose record has the new ID, or whose response contained it.
 */
export function createRunTables(database: Database): void {
  database.script(`
    CREATE TABLE facts (
      run INTEGER NOT NULL,
      name TEXT NOT NULL,
      value TEXT NOT NULL,
      PRIMARY KEY (run, name)
    ) WITHOUT ROWID;
    CREATE TABLE rows (
      run INTEGER NOT NULL,
      seq INTEGER NOT NULL,
      line INTEGER,
      key TEXT,
      match TEXT,
      intent TEXT,
      steps TEXT,
      changes TEXT,
      raw TEXT,
      name TEXT,
      resource TEXT,
      PRIMARY KEY (run, seq)
    );
    CREATE INDEX rows_by_match ON rows (run, match) WHERE match IS NOT NULL;
    CREATE UNIQUE INDEX rows_by_name ON rows (run, name) WHERE name IS NOT NULL;
    CREATE TABLE progress (
      run INTEGER NOT NULL,
      seq INTEGER NOT NULL,
      state TEXT NOT NULL,
      action TEXT,
      id TEXT,
      step INTEGER NOT NULL,
      error TEXT,
      sentAt INTEGER,
      tries INTEGER NOT NULL,
      PRIMARY KEY (run, seq)
    ) WITHOUT ROWID;
    CREATE INDEX progress_by_id ON progress (run, id) WHERE id IS NOT NULL;
    CREATE INDEX progress_by_answer ON progress (run, ${responseIdSql}) WHERE state = 'unknown';
  `);
}

/** Returns the format of a ledger in a file of its own. */
export function ledgerFormat(file: string): DatabaseFormat & FileDescription {
  return {
    file,
    ...fileFormats.ledger,
    createTables: createRunTables,
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
