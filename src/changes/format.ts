/** Describes the file of the change sets of an account: how it is recognized, its tables, and its name in messages. */
import type { Database } from '../storage/database.ts';
import type { FileDescription } from '../storage/failures.ts';
import { fileFormats } from '../storage/formats.ts';
import type { DatabaseFormat } from '../storage/open.ts';

/** Creates the tables. `plan` has the bytes of a ledger in base64; `touched` has the fields that the plan changes. */
function createTables(database: Database): void {
  database.script(`
    CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE sets (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL,
      state TEXT NOT NULL,
      at INTEGER NOT NULL,
      until INTEGER,
      zone TEXT NOT NULL,
      grace INTEGER NOT NULL,
      on_changed TEXT NOT NULL,
      note TEXT,
      summary TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      run TEXT NOT NULL,
      allow TEXT,
      begun_at INTEGER,
      return_run TEXT,
      returned_at INTEGER,
      reason TEXT,
      plan TEXT NOT NULL
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

/** Returns the format of a file of change sets, with its messages. */
export function changeSetsFormat(file: string): DatabaseFormat & FileDescription {
  return {
    file,
    ...fileFormats.changeSets,
    createTables,
    remedy: `Restore ${file} from a backup. Without it, boh can't restore the earlier values of active change sets. See boh history.`,
    durability: 'power',
    // The plans contain values of records.
    isPrivate: true,
    busyTimeoutMs: 5000,
    functions: {},
  };
}
