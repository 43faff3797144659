/** Creates database files atomically, and moves unusable files aside. Nothing is overwritten. */
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, linkSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeFolder } from '../make-folder.ts';
import { temporaryPath } from '../replace-file.ts';
import { type FileDescription, systemErrorCode, toStorageError } from './failures.ts';

/** Suffixes of the files that SQLite keeps next to a database. */
const companionSuffixes = ['-wal', '-shm', '-journal'];

/**
 * Creates a file: `write` creates a draft at the given path, which is then renamed. An existing file isn't replaced. Returns
 * whether the file was created.
 */
export function createFile(description: FileDescription, write: (draft: string) => void): boolean {
  return withStorageErrors(description, () => {
    const draft = newDraft(description.file);
    try {
      createEmptyFile(draft);
      write(draft);
      return moveIntoPlace(draft, description.file, false);
    } finally {
      removeFile(draft);
    }
  });
}

/** Creates an empty file that only its owner can read. */
export function createEmptyFile(file: string): void {
  closeSync(openSync(file, 'wx', 0o600));
}

/** Creates a file as `createFile` does, with asynchronous work. Can also replace an existing file. */
export function createFileAsync(
  description: FileDescription,
  write: (draft: string) => Promise<void>,
  { isReplacing }: { isReplacing: boolean },
): Promise<boolean> {
  return withDraftAsync(description, async (draft) => {
    await write(draft);
    return withStorageErrors(description, () => moveIntoPlace(draft, description.file, isReplacing));
  });
}

/** Provides the path of a draft to asynchronous work, and deletes the draft afterwards. */
export async function withDraftAsync<T>(
  description: FileDescription,
  work: (draft: string) => Promise<T>,
): Promise<T> {
  const draft = withStorageErrors(description, () => newDraft(description.file));
  try {
    return await work(draft);
  } finally {
    removeFile(draft);
  }
}

/** Returns the path of a new draft. The drafts of databases in memory are in the temporary folder. */
function newDraft(file: string): string {
  const folder = file === ':memory:' ? tmpdir() : dirname(file);
  makeFolder(folder, { mode: 0o700 });
  return temporaryPath(join(folder, basename(file)));
}

function withStorageErrors<T>(description: FileDescription, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toStorageError(error, description);
  }
}

/** Deletes a file with the files that SQLite keeps next to it. */
export function removeFile(file: string): void {
  for (const suffix of ['', ...companionSuffixes]) rmSync(file + suffix, { force: true });
}

/** Moves a file aside, with the files that SQLite keeps next to it. Returns the new path. */
export function moveAside(file: string): string {
  const aside = asidePathOf(file);
  moveCompanionsAside(file, aside);
  moveIfExists(file, aside);
  return aside;
}

/** Deletes the companion files that are empty or can be created again; moves the others. */
function moveCompanionsAside(file: string, aside: string): void {
  rmSync(`${file}-shm`, { force: true });
  for (const suffix of ['-wal', '-journal']) {
    const size = statSync(file + suffix, { throwIfNoEntry: false })?.size;
    if (size === 0) rmSync(file + suffix, { force: true });
    else if (size !== undefined) moveIfExists(file + suffix, aside + suffix);
  }
}

/**
 * Moves the draft to its final path. Also moves aside the log of a deleted database: SQLite would apply it to the new
 * database and damage it. No other process can open the new file in the meantime, because the lock is on the file, not its path.
 */
function moveIntoPlace(draft: string, file: string, isReplacing: boolean): boolean {
  const lock = new DatabaseSync(draft);
  try {
    lock.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
    if (isReplacing) renameSync(draft, file);
    else if (!linkOrMove(draft, file)) return false;
    moveCompanionsAside(file, asidePathOf(file));
    return true;
  } finally {
    lock.close();
  }
}

/** Links or moves the draft to a path. Returns false if the path already exists. */
function linkOrMove(draft: string, file: string): boolean {
  try {
    linkSync(draft, file);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'EEXIST') return false;
    // Some file systems don't support hard links.
    if (code === undefined || !['EPERM', 'ENOTSUP', 'ENOSYS'].includes(code)) throw error;
    if (existsSync(file)) return false;
    renameSync(draft, file);
  }
  return true;
}

function moveIfExists(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
  }
}

function asidePathOf(file: string): string {
  return `${file}.${randomBytes(6).toString('hex')}.aside`;
}
