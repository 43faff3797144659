/** Temporary folders that only the user can read. They are deleted when the process exits, unless it is killed. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from './errors.ts';
import { describeReadError, writeErrorReason } from './file-errors.ts';
import { isProcessRunning } from './is-running.ts';

const folders = new Set<string>();

/** A temporary folder. */
export interface TemporaryFolder {
  path: string;
  /** Deletes the folder with its contents. */
  remove(): void;
}

/** Creates a temporary folder whose name contains `purpose`. Throws `unavailable` if that fails. */
export function createTemporaryFolder(purpose: string): TemporaryFolder {
  deleteLeftoverFolders(purpose);
  const path = createFolder(purpose);
  if (folders.size === 0) process.once('exit', removeAll);
  folders.add(path);
  return {
    path,
    remove() {
      rmSync(path, { recursive: true, force: true });
      folders.delete(path);
      if (folders.size === 0) process.off('exit', removeAll);
    },
  };
}

function createFolder(purpose: string): string {
  try {
    return mkdtempSync(join(tmpdir(), `boh-${purpose}-${process.pid}-`));
  } catch (cause) {
    throw new Failure(
      'unavailable',
      `Can't create a temporary folder in ${tmpdir()}: ${writeErrorReason(cause) ?? describeReadError(cause)}.`,
      {
        hint: 'Choose a folder that you can write to: TMPDIR=FOLDER',
        cause,
      },
    );
  }
}

/** Deletes the folders of processes that were killed. Ignores folders that can't be deleted. */
function deleteLeftoverFolders(purpose: string): void {
  const leftoverPattern = new RegExp(`^boh-${purpose}-(\\d+)-\\w{6}$`);
  try {
    for (const name of readdirSync(tmpdir())) {
      const pid = Number(leftoverPattern.exec(name)?.[1]);
      if (pid && !isProcessRunning(pid)) rmSync(join(tmpdir(), name), { recursive: true, force: true });
    }
  } catch {
    // The folder belongs to another user, or another process has deleted it.
  }
}

function removeAll(): void {
  for (const path of folders) rmSync(path, { recursive: true, force: true });
}
