/** Describes the file of a sandbox: its format, its tables, and its name in messages. */
import { basename } from 'node:path';
import { boh } from '../../base/hint.ts';
import { once } from '../../base/once.ts';
import type { Database } from '../../storage/database.ts';
import type { FileDescription } from '../../storage/failures.ts';
import { type FileFormat, fileFormats } from '../../storage/formats.ts';
import type { DatabaseFormat } from '../../storage/open.ts';
import { completeOrders } from '../business/orders.ts';
import { fold } from './cells.ts';
import { fingerprintOf, schemaOf, updateSchema } from './schema.ts';
import { writeStoredValue } from './stored-values.ts';
import type { Table } from './tables.ts';

/** Returns the format of a sandbox's file, its name in messages, and the command that replaces an unusable file. */
export function fileDescriptionOf(file: string): FileDescription & FileFormat {
  const name = basename(file, '.sqlite');
  return {
    file,
    ...fileFormats.sandbox,
    remedy: boh.hint`To rename the file and create a new one: ${boh.plain('sandbox reset', '--name', name)}`,
  };
}

/** Returns the stored fingerprint of the tables. If it differs from the current fingerprint, the schema is updated. */
function readFingerprint(database: Database): string | undefined {
  const row = database.get("SELECT value FROM sandbox_facts WHERE name = 'contract'");
  return row && String(row.value);
}

/**
 * Returns the options for opening a file. `file` is its path in messages. `precomputedFingerprint` is the fingerprint
 * of the tables; it is computed if omitted. A file with this fingerprint isn't changed.
 */
export function sandboxFormat(
  file: string,
  tables: () => readonly Table[],
  precomputedFingerprint?: string,
): DatabaseFormat {
  const schema = once(() => schemaOf(tables()));
  const fingerprint = once(() => precomputedFingerprint ?? fingerprintOf(schema()));
  return {
    ...fileDescriptionOf(file),
    createTables,
    upkeep: {
      isDone: (database) => readFingerprint(database) === JSON.stringify(fingerprint()),
      run: (database: Database) => {
        updateSchema(database, schema());
        if (tables().some(({ name }) => name === 'orders')) completeOrders(database);
        writeStoredValue(database, 'contract', fingerprint());
      },
    },
    durability: 'process',
    // SQLite doesn't wait for locks: callers wait in a queue, which doesn't block the process.
    busyTimeoutMs: 0,
    functions: { fold },
  };
}

/** Creates the sandbox's internal tables, whose names begin with `sandbox_`. */
function createTables(database: Database): void {
  database.script(
    `CREATE TABLE sandbox_facts (
       name TEXT PRIMARY KEY, value TEXT NOT NULL
     ) WITHOUT ROWID;
     CREATE TABLE sandbox_tokens (
       hash TEXT PRIMARY KEY, scopes TEXT NOT NULL, user_id TEXT NOT NULL, made_at TEXT NOT NULL
     ) WITHOUT ROWID;
     CREATE TABLE sandbox_codes (
       hash TEXT PRIMARY KEY, client_id TEXT NOT NULL, redirect_uri TEXT NOT NULL, scopes TEXT NOT NULL,
       made_at INTEGER NOT NULL, is_used INTEGER NOT NULL
     ) WITHOUT ROWID;
     CREATE TABLE sandbox_stock (
       place_id TEXT NOT NULL, item_id TEXT NOT NULL, quantity REAL NOT NULL, PRIMARY KEY (place_id, item_id)
     ) WITHOUT ROWID;
     CREATE TABLE sandbox_events (
       seq INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, type TEXT NOT NULL, branch_id TEXT NOT NULL,
       resource TEXT NOT NULL, record_id TEXT NOT NULL, users TEXT NOT NULL
     );
     CREATE INDEX sandbox_events_about ON sandbox_events (record_id, type)`,
  );
}
