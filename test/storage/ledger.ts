/** A small database for tests of the storage. */
import type { Database } from '../../src/base/storage/database.ts';
import { type DatabaseFormat, openFile } from '../../src/base/storage/open.ts';

function createTables(database: Database): void {
  database.script('CREATE TABLE entries (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT)');
}

/** Returns the format of a ledger with these changes. */
export function ledgerFormat(changes: Partial<DatabaseFormat> = {}): DatabaseFormat {
  return {
    label: 'The ledger',
    remedy: 'Create a new one.',
    applicationId: 0x7e57,
    version: 1,
    createTables,
    durability: 'process',
    busyTimeoutMs: 0,
    functions: { shout: (text = null) => String(text).toUpperCase() },
    ...changes,
  };
}

/** Opens or creates a ledger. */
export function openLedger(file: string, changes: Partial<DatabaseFormat> = {}): Database {
  return openFile(file, ledgerFormat(changes));
}

/** Adds an entry and returns its ID. */
export function write(database: Database, text: string): number {
  return database.insert('INSERT INTO entries (text) VALUES (?)', text);
}

/** Returns the texts of all entries in order. */
export function texts(database: Database): string[] {
  return database.all('SELECT text FROM entries ORDER BY id').map(({ text }) => String(text));
}

/** Creates every kind of table, index, trigger and view. */
export function createRichTables(database: Database): void {
  createTables(database);
  database.script(`
      CREATE INDEX entries_text ON entries (text);
      CREATE TABLE counts (number INTEGER NOT NULL);
      INSERT INTO counts VALUES (0);
      CREATE TRIGGER entries_added AFTER INSERT ON entries BEGIN UPDATE counts SET number = number + 1; END;
      CREATE TABLE keys (name TEXT PRIMARY KEY) WITHOUT ROWID;
      CREATE VIEW loud AS SELECT upper(text) AS text FROM entries`);
}
