/** Copies the content of databases while other processes use them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { createTemporaryFolder } from '../temporary-folder.ts';
import { createEmptyFile } from './create.ts';
import type { Database, StoredRow } from './database.ts';
import { type FileDescription, isSqliteError, StorageFailure, toStorageError } from './failures.ts';
import { retryWhileBusy, type WaitOptions } from './retry-while-busy.ts';

/** The size of a batch, in pages of 4 KB. */
const batchPages = 10_000;

/** Creates a consistent copy of a file, even if other processes write to it in the meantime. */
export async function copyDatabaseFile(
  from: FileDescription,
  to: string,
  waitOptions?: WaitOptions,
): Promise<void> {
  let source: DatabaseSync | undefined;
  try {
    source = await retryWhileBusy(() => withReadTransaction(from), waitOptions);
    createEmptyFile(to);
    await backup(source, to, { rate: batchPages });
  } catch (error) {
    throw toStorageError(error, from);
  } finally {
    source?.close();
  }
}

/** Copies inside a read transaction, so that the copy is consistent and never has to restart. */
function withReadTransaction(description: FileDescription): DatabaseSync {
  const source = new DatabaseSync(description.file, { timeout: 0 });
  try {
    source.exec('BEGIN; SELECT count(*) FROM sqlite_schema');
    return source;
  } catch (error) {
    source.close();
    const translated = toStorageError(error, description);
    // This is the first access to the file; if it fails, the file isn't a database.
    throw translated === error && isSqliteError(error)
      ? new StorageFailure('damaged', description, { cause: error })
      : translated;
  }
}

/** Returns the whole content of a database as the bytes of a file without a log. */
export function readContent(database: Database): Uint8Array {
  const bytes = database.serialize() ?? withTemporaryFile((file) => copyToBytes(database, file));
  // In memory there is no log, so the header must not require one (SQLite's file format, 1.3.3).
  bytes.fill(rollbackJournalVersion, journalVersionsAt, journalVersionsAt + 2);
  return bytes;
}

const [rollbackJournalVersion, journalVersionsAt] = [1, 18];

/** Replaces the whole content of a database in memory with the bytes of `readContent`. */
export function loadContent(database: Database, bytes: Uint8Array): void {
  if (database.deserialize(bytes)) return;
  withTemporaryFile((file) => {
    writeFileSync(file, bytes);
    replaceDatabaseContent(database, file, { keep: [], finish: () => {} });
  });
}

function copyToBytes(database: Database, file: string): Uint8Array {
  database.copyTo(file);
  return readFileSync(file);
}

function withTemporaryFile<T>(work: (file: string) => T): T {
  const folder = createTemporaryFolder('content');
  try {
    return work(join(folder.path, 'content.sqlite'));
  } finally {
    folder.remove();
  }
}

/** The schema name of the source file in SQL while its content is copied. */
export const sourceSchema = 'other';

/**
 * Replaces the content of a database with that of another file in one transaction: other processes see the old or the
 * new content, and a crash changes nothing. Tables in `keep` aren't changed, except by `finish`.
 */
export function replaceDatabaseContent(
  database: Database,
  file: string,
  { keep, finish }: { keep: readonly string[]; finish: () => void },
): void {
  const work = () => {
    dropTables(database, keep);
    const tables = tablesOf(database, sourceSchema).filter(({ name }) => !keep.includes(String(name)));
    const definitions = definitionsOf(database).filter(({ table }) => !keep.includes(String(table)));
    const createObjects = (...types: string[]) => {
      for (const { type, sql } of definitions) if (types.includes(String(type))) database.script(String(sql));
    };
    // Indexes are created before the rows, so that SQLite copies both unchanged; triggers come last, because they would run for each row.
    createObjects('table', 'index');
    for (const { name } of tables.filter(isOfType('table'))) copyRows(database, String(name));
    if (database.get(`SELECT 1 FROM ${sourceSchema}.sqlite_schema WHERE name = 'sqlite_sequence'`)) {
      database.script('DELETE FROM main.sqlite_sequence');
      copyRows(database, 'sqlite_sequence');
    }
    createObjects('view', 'trigger');
    finish();
  };
  database.withAttached(file, sourceSchema, () => database.write(work));
}

function dropTables(database: Database, keep: readonly string[]): void {
  const oldTables = tablesOf(database, 'main').filter(({ name }) => !keep.includes(String(name)));
  for (const { name } of oldTables.filter(isOfType('view'))) database.script(`DROP VIEW main."${name}"`);
  for (const { name } of oldTables.filter(isOfType('table'))) database.script(`DROP TABLE main."${name}"`);
}

function copyRows(database: Database, name: string): void {
  database.script(`INSERT INTO main."${name}" SELECT * FROM ${sourceSchema}."${name}"`);
}

function tablesOf(database: Database, name: string): StoredRow[] {
  return database.all(
    "SELECT name, type FROM pragma_table_list WHERE schema = ? AND name NOT LIKE 'sqlite_%'",
    name,
  );
}

function isOfType(expectedType: 'table' | 'view'): (row: StoredRow) => boolean {
  return ({ type }) => type === expectedType;
}

/** Returns the objects in their order of creation: tables before their indexes. */
function definitionsOf(database: Database): StoredRow[] {
  return database.all(
    `SELECT type, name, sql, tbl_name AS "table" FROM ${sourceSchema}.sqlite_schema
     WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid`,
  );
}
