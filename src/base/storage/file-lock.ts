/** Exclusive locks on files. The system releases a lock when its process ends in any way. */
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeFolder } from '../make-folder.ts';
import { type FileDescription, StorageFailure, toStorageError } from './failures.ts';
import { OpenFileIdentity } from './file-identity.ts';

export interface FileLock {
  /** Deletes the lock file and releases the lock. */
  release(): void;
}

/** The suffix of the lock file next to a locked file. It is empty, and stays if its process is killed. */
export const lockFileSuffix = '-hold';

/** Keeps connections referenced: garbage collection would close them and release their locks. */
const connections = new Set<DatabaseSync>();

/** Locks a file without waiting. Throws a StorageFailure, with the problem `busy` if another process has locked it. */
export function lockFile(description: FileDescription): FileLock {
  const file = description.file + lockFileSuffix;
  let connection: DatabaseSync | undefined;
  try {
    makeFolder(dirname(file), { mode: 0o700 });
    // SQLite's locks are locks of the system, which are released even after SIGKILL.
    const lockConnection = new DatabaseSync(file, { timeout: 0 });
    connection = lockConnection;
    const identity = new OpenFileIdentity(file);
    // A journal on the disk couldn't be created on a full disk.
    lockConnection.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    // If the previous holder deleted the lock file in the meantime, this lock is on a deleted file.
    if (!identity.isSameFile()) throw new StorageFailure('busy', description);
    connections.add(lockConnection);
    return {
      release() {
        try {
          rmSync(file, { force: true });
        } catch {
          // Some systems can't delete an open file; the lock file may stay.
        }
        connections.delete(lockConnection);
        lockConnection.close();
      },
    };
  } catch (error) {
    connection?.close();
    throw toStorageError(error, description);
  }
}
