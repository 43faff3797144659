/** Makes files whole before anybody can see them, and moves away what must not be used: nothing is ever overwritten. */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { asOwnerOf } from '../base/as-owner.ts';
import { makeFolder } from '../base/make-folder.ts';
import { type Naming, storageError, systemErrorCode } from './failures.ts';

/** What SQLite keeps beside a database, by the ends of the names. */
const companions = ['-wal', '-shm', '-journal'];

/**
 * `write` makes a database at the path that it is handed, beside the file, whose place it then takes. A file that is
 * there stays, unless it is to be replaced. Answers whether the new one is in place.
 */
export function createFile(naming: Naming, write: (draft: string) => void): boolean {
  return inDraft(naming, (draft) => {
    makeEmpty(draft);
    write(draft);
    return putInPlace(draft, naming.file, false);
  });
}

/** For its user alone, and the folder’s owner’s where that is somebody else and this is root: SQLite fills it as it is. */
export function makeEmpty(file: string): void {
  asOwnerOf(dirname(file), () => closeSync(openSync(file, 'wx', 0o600)));
}

/** The draft is beside the file, under a name of its own, and gone when the work is done. */
function inDraft<T>(naming: Naming, work: (draft: string) => T): T {
  return telling(naming, () => {
    const draft = newDraft(naming.file);
    try {
      return work(draft);
    } finally {
      removeFile(draft);
    }
  });
}

/** The same as `createFile` for work that takes its time; also in place of a file that is there. */
export function createFileSlowly(
  naming: Naming,
  write: (draft: string) => Promise<void>,
  { isReplacing }: { isReplacing: boolean },
): Promise<boolean> {
  return inDraftSlowly(naming, async (draft) => {
    await write(draft);
    const place = () => putInPlace(draft, naming.file, isReplacing);
    return telling(naming, () => asOwnerOf(dirname(naming.file), place));
  });
}

export async function inDraftSlowly<T>(naming: Naming, work: (draft: string) => Promise<T>): Promise<T> {
  const draft = telling(naming, () => newDraft(naming.file));
  try {
    return await work(draft);
  } finally {
    removeFile(draft);
  }
}

/** What is in memory alone has its drafts among the files of the day. */
function newDraft(file: string): string {
  const folder = file === ':memory:' ? tmpdir() : dirname(file);
  const beginning = `.${basename(file)}.`;
  asOwnerOf(folder, () => {
    makeFolder(folder, { mode: 0o700 });
    sweep(folder, beginning);
  });
  return join(folder, beginning + mark());
}

/** No draft takes as long: whoever made it was killed. In milliseconds. */
const longestDraft = 3_600_000;

function sweep(folder: string, beginning: string): void {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(beginning)) continue;
    const path = join(folder, name);
    const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - changed > longestDraft) rmSync(path, { force: true });
  }
}

function telling<T>(naming: Naming, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw storageError(error, naming);
  }
}

/** With what SQLite keeps beside it. */
export function removeFile(file: string): void {
  for (const part of ['', ...companions]) rmSync(file + part, { force: true });
}

/** Moves a file out of the way, with what SQLite keeps beside it. Answers where it is now. */
export function setAside(file: string): string {
  const aside = asideOf(file);
  setCompanionsAside(file, aside);
  moveIfThere(file, aside);
  return aside;
}

/** What is empty or can be made anew is nobody's loss. */
function setCompanionsAside(file: string, aside: string): void {
  rmSync(`${file}-shm`, { force: true });
  for (const part of ['-wal', '-journal']) {
    const size = statSync(file + part, { throwIfNoEntry: false })?.size;
    if (size === 0) rmSync(file + part, { force: true });
    else if (size !== undefined) moveIfThere(file + part, aside + part);
  }
}

/**
 * A log without its database, left when somebody deletes the one and not the other, would be taken for that of the
 * next database and break it. While it is moved away nobody can open the new file: our lock on it is on the file,
 * not on its name.
 */
function putInPlace(draft: string, file: string, isReplacing: boolean): boolean {
  const guard = new DatabaseSync(draft);
  try {
    guard.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
    if (isReplacing) renameSync(draft, file);
    else if (!link(draft, file)) return false;
    setCompanionsAside(file, asideOf(file));
    return true;
  } finally {
    guard.close();
  }
}

/** False where something is there already. */
function link(draft: string, file: string): boolean {
  try {
    linkSync(draft, file);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'EEXIST') return false;
    // Some file systems have no links.
    if (code === undefined || !['EPERM', 'ENOTSUP', 'ENOSYS'].includes(code)) throw error;
    if (existsSync(file)) return false;
    renameSync(draft, file);
  }
  return true;
}

function moveIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
  }
}

function asideOf(file: string): string {
  return `${file}.${mark()}.aside`;
}

function mark(): string {
  return randomBytes(6).toString('hex');
}
