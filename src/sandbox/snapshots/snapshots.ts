/** Copies of whole sandboxes, kept under names, to which a sandbox can go back while others use it. */
import { linkSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Api } from '../../contract/api.ts';
import { Failure, usage } from '../../errors.ts';
import { forgetTokensOfNobody } from '../access/tokens.ts';
import { newId } from '../ids.ts';
import { Database } from '../store/database.ts';
import { systemErrorCode, UnusableFile, unreachable } from '../store/failures.ts';
import { checkMarks } from '../store/marks.ts';
import { sandboxFile, sandboxFolder } from '../store/place.ts';
import { Tables } from '../store/tables.ts';
import { copy } from './copy.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface Snapshot {
  name: string;
  bytes: number;
  savedAt: Date;
}

const ending = '.sqlite';

export function listSnapshots(environment: Environment): Snapshot[] {
  const folder = snapshotFolder(environment);
  const files = entriesOf(folder).filter((file) => file.endsWith(ending) && !file.startsWith('.'));
  return files.sort().map((file) => {
    const { size, mtime } = statSync(join(folder, file));
    return { name: file.slice(0, -ending.length), bytes: size, savedAt: mtime };
  });
}

/** Copies the sandbox of a file as it is at one moment, whoever is writing to it. */
export async function saveSnapshot(
  environment: Environment,
  name: string,
  file: string,
  { isReplacing }: { isReplacing: boolean },
): Promise<void> {
  const folder = snapshotFolder(environment);
  const target = snapshotFile(environment, name);
  if (!isReplacing && has(environment, name)) throw taken(name);
  makeFolder(folder);
  const draft = join(folder, `.${name}.${newId()}`);
  try {
    await copy(file, draft);
    if (isReplacing) renameSync(draft, target);
    else linkSync(draft, target);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'EEXIST') throw taken(name);
    throw code ? unreachable(target, error) : error;
  } finally {
    for (const part of ['', '-wal', '-shm', '-journal']) rmSync(draft + part, { force: true });
  }
}

/**
 * Makes a sandbox what it was. Others see it as it is or as it was, never a half of either. Tokens made since stay
 * valid, so that a server and its users can go on.
 */
export async function restoreSnapshot(
  environment: Environment,
  name: string,
  file: string,
  api: Api,
): Promise<void> {
  const snapshot = existing(environment, name);
  checkSnapshot(name, snapshot, new Tables(api));
  const tokens = tokensOf(file);
  await copy(snapshot, file);
  addTokens(file, tokens);
}

export function deleteSnapshot(environment: Environment, name: string): void {
  rmSync(existing(environment, name));
}

function checkSnapshot(name: string, file: string, tables: Tables): void {
  const database = new Database(file);
  try {
    checkMarks(database, tables);
  } catch (error) {
    if (!(error instanceof UnusableFile)) throw error;
    throw new Failure('unavailable', `The snapshot ${name} can’t be used: ${error.message}`, {
      hint: 'Save it anew with this version of boh.',
      cause: error,
    });
  } finally {
    database.close();
  }
}

type Token = { hash: string; scopes: string; user_id: string; made_at: string };

function tokensOf(file: string): Token[] {
  const database = new Database(file);
  try {
    return database.all('SELECT hash, scopes, user_id, made_at FROM sandbox_tokens') as unknown as Token[];
  } finally {
    database.close();
  }
}

function addTokens(file: string, tokens: readonly Token[]): void {
  const database = new Database(file);
  try {
    database.write(() => {
      for (const { hash, scopes, user_id, made_at } of tokens) {
        database.run(
          'INSERT OR IGNORE INTO sandbox_tokens (hash, scopes, user_id, made_at) VALUES (?, ?, ?, ?)',
          hash,
          scopes,
          user_id,
          made_at,
        );
      }
      forgetTokensOfNobody(database);
    });
  } finally {
    database.close();
  }
}

function snapshotFolder(environment: Environment): string {
  return join(sandboxFolder(environment), 'snapshots');
}

/** Snapshots may be called what sandboxes may. */
function snapshotFile(environment: Environment, name: string): string {
  sandboxFile(environment, name);
  return join(snapshotFolder(environment), name + ending);
}

function has(environment: Environment, name: string): boolean {
  return listSnapshots(environment).some((snapshot) => snapshot.name === name);
}

function existing(environment: Environment, name: string): string {
  const file = snapshotFile(environment, name);
  if (has(environment, name)) return file;
  const names = listSnapshots(environment).map((snapshot) => snapshot.name);
  throw new Failure('not_found', `There is no snapshot ${name}.`, {
    hint: names.length > 0 ? `There are ${names.join(', ')}.` : 'Save one: boh sandbox snapshot save NAME',
  });
}

function taken(name: string): Failure {
  return usage(`There is a snapshot ${name} already.`, {
    hint: 'Choose another name, or give --yes to replace it.',
  });
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw unreachable(folder, error);
  }
}

/** No folder is no snapshots. */
function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw code ? unreachable(folder, error) : error;
  }
}
