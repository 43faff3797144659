/**
 * Creates a temporary file for another program, in a folder that only its owner can enter. If a process was killed, the
 * next process deletes its file.
 */
import { lstat, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { toFailure } from './private-file.ts';

/** A temporary file. */
export interface TemporaryFile {
  path: string;
  /** Deletes the file with its folder. */
  remove(): Promise<void>;
  /** Moves the file to a folder that isn't cleaned up, and returns its new path. */
  keep(): Promise<string>;
}

/**
 * Creates a temporary file (0600) in its own folder (0700). `purpose` is part of the folder's name. Throws
 * `unavailable` if it can't be written.
 */
export async function createTemporaryFile(
  purpose: string,
  name: string,
  text: string,
): Promise<TemporaryFile> {
  await removeLeftovers(purpose);
  let folder: string | undefined;
  try {
    folder = await mkdtemp(join(tmpdir(), `boh-${purpose}-${process.pid}-`));
    const path = join(folder, name);
    await writeFile(path, text, { mode: 0o600, flag: 'wx' });
    return { path, remove: () => removeFolder(folder), keep: () => keep(path) };
  } catch (error) {
    await removeFolder(folder);
    throw toFailure(`Can't write a temporary file in ${tmpdir()}`, error);
  }
}

async function removeFolder(folder: string | undefined): Promise<void> {
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
}

async function keep(path: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'boh-kept-'));
  const newPath = join(folder, basename(path));
  await rename(path, newPath);
  await removeFolder(join(path, '..'));
  return newPath;
}

/** Deletes the folders of killed processes. Failures are ignored, because the new file doesn't depend on them. */
async function removeLeftovers(purpose: string): Promise<void> {
  const leftoverPattern = new RegExp(`^boh-${purpose}-(\\d+)-\\w{6}$`);
  const names = await readdir(tmpdir()).catch(() => []);
  await Promise.all(
    names.map(async (name) => {
      const pid = Number(leftoverPattern.exec(name)?.[1]);
      if (!pid || isRunning(pid)) return;
      const folder = join(tmpdir(), name);
      const stats = await lstat(folder).catch(() => undefined);
      const isOwnFolder = process.geteuid === undefined || stats?.uid === process.geteuid();
      if (stats?.isDirectory() && isOwnFolder) await removeFolder(folder).catch(() => undefined);
    }),
  );
}

/** Returns whether a process is running. A process of another user with the same ID counts. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
