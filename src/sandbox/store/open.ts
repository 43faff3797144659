/** Opens, creates and resets the file of a sandbox. */
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { api as ownApi } from '../../api/resources/index.ts';
import { boh } from '../../base/hint.ts';
import { once } from '../../base/once.ts';
import { loadContent, replaceDatabaseContent, sourceSchema } from '../../base/storage/copy.ts';
import { withDraftAsync } from '../../base/storage/create.ts';
import type { Database } from '../../base/storage/database.ts';
import type { FileDescription } from '../../base/storage/failures.ts';
import { type FileFormat, fileFormats } from '../../base/storage/formats.ts';
import { type DatabaseFormat, openContent, openFile } from '../../base/storage/open.ts';
import { retryWhileBusy, type WaitOptions } from '../../base/storage/retry-while-busy.ts';
import { deleteOrphanedTokens } from '../access/tokens.ts';
import { completeOrders } from '../business/orders.ts';
import { fold } from '../kinds.ts';
import { writeStoredValue } from './rows.ts';
import { fingerprintOf, schemaOf, updateSchema } from './schema.ts';
import type { Table, Tables } from './tables.ts';

/** Adds the first records to a new sandbox, inside a transaction. */
export type Seed = (database: Database) => void;

/** The options for opening the database of a sandbox. */
export interface OpenOptions extends WaitOptions {
  /** Loads the function that adds the first records. If omitted, the file must exist. */
  loadSeed?: () => Promise<Seed>;
  /** Whether writes survive a power failure. */
  isDurable?: boolean | undefined;
}

export async function openDatabase(file: string, tables: Tables, options: OpenOptions): Promise<Database> {
  const isNew = file === ':memory:' || !existsSync(file);
  const seed = isNew && options.loadSeed ? await options.loadSeed() : refuseMissingFile;
  const format = sandboxFormat(file, () => tables.all, buildFingerprintOf(tables));
  const durability = options.isDurable ? 'power' : format.durability;
  return retryWhileBusy(() => openFile(file, { ...format, durability }, seed), options);
}

/** Opens a sandbox in memory with the content of another one. */
export function openDatabaseContent(bytes: Uint8Array, tables: Tables): Database {
  return openContent(
    bytes,
    sandboxFormat(':memory:', () => tables.all, buildFingerprintOf(tables)),
  );
}

/** Replaces the content of a sandbox in memory. The tokens of both are kept, as `replaceContent` does. */
export function replaceMemory(database: Database, bytes: Uint8Array): void {
  const tokens = database.all('SELECT hash, scopes, user_id, made_at FROM sandbox_tokens');
  loadContent(database, bytes);
  database.write(() => {
    const sql = 'INSERT OR IGNORE INTO sandbox_tokens (hash, scopes, user_id, made_at) VALUES (?, ?, ?, ?)';
    for (const { hash = null, scopes = null, user_id = null, made_at = null } of tokens)
      database.run(sql, hash, scopes, user_id, made_at);
    deleteOrphanedTokens(database);
  });
}

/** Refuses to create a file that was moved or deleted after it was checked. */
function refuseMissingFile(database: Database): never {
  throw database.failure('moved');
}

/** Replaces the data with that of a new sandbox, in one step: other processes read the old or the new data. */
export function resetContent(
  database: Database,
  tables: Tables,
  seed: Seed,
  waitOptions: WaitOptions,
): Promise<void> {
  return withDraftAsync(fileDescriptionOf(database.file), async (draft) => {
    openFile(
      draft,
      sandboxFormat(database.file, () => tables.all, buildFingerprintOf(tables)),
      seed,
    ).close();
    await replaceContent(database, draft, waitOptions);
  });
}

/**
 * Replaces the content of a sandbox with that of another file, in one step. The tokens of both files are kept, so that
 * clients of a served sandbox can continue.
 */
export function replaceContent(database: Database, file: string, waitOptions: WaitOptions): Promise<void> {
  const finish = () => {
    database.run(`INSERT OR IGNORE INTO sandbox_tokens SELECT * FROM ${sourceSchema}.sandbox_tokens`);
    deleteOrphanedTokens(database);
  };
  return retryWhileBusy(
    () => replaceDatabaseContent(database, file, { keep: ['sandbox_tokens'], finish }),
    waitOptions,
  );
}

/** The fingerprint of the tables of boh's own API. The build sets it; without a build, it is computed at run time. */
declare const BOH_CONTRACT_FINGERPRINT: string | undefined;

/** The API of a preset has other tables, so its fingerprint is computed. */
function buildFingerprintOf({ api }: Tables): string | undefined {
  return api === ownApi ? buildFingerprint : undefined;
}

const buildFingerprint = typeof BOH_CONTRACT_FINGERPRINT === 'string' ? BOH_CONTRACT_FINGERPRINT : undefined;

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
