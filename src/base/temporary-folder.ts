/** Temporary folders that only the user can read. They are deleted when the process exits, unless it is killed. */
import { mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from './errors.ts';
import { describeReadError, writeErrorReason } from './file-errors.ts';
import { isProcessRunning } from './is-running.ts';

const folders = new Set<string>();

export interface TemporaryFolder {
  path: string;
  /** Deletes the folder with its contents. */
  remove(): void;
  /** Renames the folder so that it isn't deleted, and returns its new path. */
  keep(): string;
}

/** Creates a temporary folder whose name contains `purpose`. Throws `unavailable` if that fails. */
export function createTemporaryFolder(purpose: string): TemporaryFolder {
  deleteLeftoverFolders(purpose);
  const path = createFolder(purpose);
  if (folders.size === 0) process.once('exit', removeAll);
  folders.add(path);
  const forget = () => {
    folders.delete(path);
    if (folders.size === 0) process.off('exit', removeAll);
  };
  return {
    path,
    remove() {
      rmSync(path, { recursive: true, force: true });
      forget();
    },
    keep() {
      const keptPath = path.replace(`boh-${purpose}-${process.pid}-`, 'boh-kept-');
      renameSync(path, keptPath);
      forget();
      return keptPath;
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
  const isLeftover = (name: string) => {
    const pid = Number(leftoverPattern.exec(name)?.[1]);
    return pid > 0 && !isProcessRunning(pid);
  };
  for (const name of namesIn(tmpdir()).filter(isLeftover)) {
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // It belongs to another user, or another process is deleting it.
    }
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function removeAll(): void {
  for (const path of folders) rmSync(path, { recursive: true, force: true });
}
