/** Opens a sandbox's file, or makes it; a file that can't be used is never overwritten. */
import { existsSync, linkSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Failure } from '../../errors.ts';
import { newId } from '../ids.ts';
import { Database } from './database.ts';
import { systemErrorCode, unreachable } from './failures.ts';
import { checkMarks, writeContractMark, writeMarks } from './marks.ts';
import { quoted } from './quoted.ts';
import { schema } from './schema.ts';
import type { Tables } from './tables.ts';
import { forgetAllText } from './text-index.ts';

/** Fills a new sandbox, inside one transaction. */
export type Fill = (database: Database) => void;

/** `fill` is asked for only where the sandbox is new. */
export async function openDatabase(
  file: string,
  tables: Tables,
  fill: () => Promise<Fill>,
): Promise<Database> {
  if (file === ':memory:') return newDatabase(tables, await fill());
  if (!existsSync(file)) createFile(file, tables, await fill());
  const database = new Database(file);
  try {
    checkMarks(database, tables);
  } catch (error) {
    database.close();
    throw error;
  }
  // In WAL mode this loses nothing when a process dies, and saves a wait for the disk with each write.
  database.script('PRAGMA synchronous = NORMAL');
  return database;
}

/**
 * Begins anew in one transaction: other processes see the old business or the new one, never a half of either.
 * Tokens stay: whoever is served the sandbox goes on with the one they have.
 */
export function refill(database: Database, tables: Tables, fill: Fill): void {
  database.write(() => {
    const kept = database.all(
      `SELECT name FROM sqlite_schema
       WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'sandbox_counts' AND name NOT LIKE 'sandbox_text%'
       AND name <> 'sandbox_tokens'`,
    );
    forgetAllText(database);
    for (const { name } of kept) database.run(`DELETE FROM ${quoted(String(name))}`);
    writeContractMark(database, tables);
    fill(database);
  });
}

/** Moves an unusable file out of the way, with what SQLite keeps beside it. Answers where it is now. */
export function setAside(file: string): string {
  const aside = `${file}.${newId()}.aside`;
  for (const part of ['-wal', '-shm', '']) {
    if (existsSync(file + part)) renameSync(file + part, aside + part);
  }
  return aside;
}

function newDatabase(tables: Tables, fill: Fill): Database {
  const database = new Database(':memory:');
  database.write(() => {
    database.script(schema(tables));
    writeMarks(database, tables);
    fill(database);
  });
  return database;
}

/**
 * Built whole beside its place and then linked into it, which fails where another process was quicker: then
 * that one's file is the sandbox.
 */
function createFile(file: string, tables: Tables, fill: Fill): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const draft = join(dirname(file), `.${basename(file)}.${newId()}`);
    try {
      writeDraft(draft, tables, fill);
      place(draft, file);
    } finally {
      rmSync(draft, { force: true });
    }
  } catch (error) {
    // What SQLite says is of the draft.
    throw error instanceof Failure || systemErrorCode(error) ? unreachable(file, error) : error;
  }
}

function writeDraft(draft: string, tables: Tables, fill: Fill): void {
  const database = newDatabase(tables, fill);
  database.run('VACUUM INTO ?', draft);
  database.close();
  const written = new Database(draft);
  written.get('PRAGMA journal_mode = WAL');
  written.close();
}

function place(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'EEXIST') return;
    // Some file systems have no links.
    if (code === undefined || !['EPERM', 'ENOTSUP', 'ENOSYS'].includes(code)) throw error;
    if (!existsSync(file)) renameSync(draft, file);
  }
}
