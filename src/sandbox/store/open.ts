/** Opens a sandbox's file, or makes it; a file that can't be used is never overwritten. */
import { createHash } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Failure } from '../../errors.ts';
import { newId } from '../ids.ts';
import { Database, damaged } from './database.ts';
import { readFact, writeFact } from './facts.ts';
import { applicationId, schema, schemaVersion } from './schema.ts';

/** Fills a new sandbox, inside one transaction. */
export type Fill = (database: Database) => void;

const contractFact = 'contract';

/** `fill` is asked for only where the sandbox is new. */
export async function openDatabase(file: string, fill: () => Promise<Fill>): Promise<Database> {
  if (file === ':memory:') return newDatabase(await fill());
  if (!existsSync(file)) createFile(file, await fill());
  const database = new Database(file);
  try {
    checkMarks(database);
  } catch (error) {
    database.close();
    throw error;
  }
  database.script('PRAGMA synchronous = NORMAL');
  return database;
}

function newDatabase(fill: Fill): Database {
  const database = new Database(':memory:');
  database.script(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${schemaVersion}`);
  database.write(() => {
    database.script(schema());
    writeFact(database, contractFact, contractMark());
    fill(database);
  });
  return database;
}

/**
 * Built whole beside its place and then linked into it, which fails where another process was quicker: then
 * that one's file is the sandbox.
 */
function createFile(file: string, fill: Fill): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = join(dirname(file), `.${basename(file)}.${newId()}`);
  try {
    const database = newDatabase(fill);
    database.run('VACUUM INTO ?', draft);
    database.close();
    const written = new Database(draft);
    written.get('PRAGMA journal_mode = WAL');
    written.close();
    linkSync(draft, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function checkMarks(database: Database): void {
  const application = Number(database.get('PRAGMA application_id')?.application_id);
  const version = Number(database.get('PRAGMA user_version')?.user_version);
  if (application !== applicationId) throw damaged(database.file);
  const isNewer = version > schemaVersion;
  if (!isNewer && readFact(database, contractFact) === contractMark()) return;
  const by = isNewer ? 'a newer version of boh' : 'another version of boh';
  throw new Failure('unavailable', `The sandbox ${database.file} was made by ${by} and was left as it is.`, {
    hint: 'Use that version, or run boh sandbox reset: it sets the file aside and makes a new one.',
  });
}

/** Tells whether the tables of a file are those that this version makes from the contract. */
function contractMark(): string {
  return createHash('sha256').update(schema()).digest('base64url').slice(0, 16);
}
