/** A file kept to one process for as long as that lives: the system lifts the hold, however the process ends. */
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { asOwnerOf } from '../as-owner.ts';
import { makeFolder } from '../make-folder.ts';
import { type Naming, storageError } from './failures.ts';

export interface Hold {
  release(): void;
}

/** What stands beside a file that is held; it holds nothing, and may stay. */
export const holdSuffix = '-hold';

/** A connection that nobody refers to is closed when memory is collected, and the hold would go with it. */
const connections = new Set<DatabaseSync>();

/** Throws a StorageFailure, `busy` where another process has it: `isBusy` tells. */
export function hold(naming: Naming): Hold {
  const file = naming.file + holdSuffix;
  let connection: DatabaseSync | undefined;
  try {
    const held = asOwnerOf(dirname(file), () => {
      makeFolder(dirname(file), { mode: 0o700 });
      // A lock of SQLite is one of the system, which even SIGKILL can't leave behind.
      connection = new DatabaseSync(file, { timeout: 0 });
      connection.exec('BEGIN EXCLUSIVE');
      return connection;
    });
    connections.add(held);
    return {
      release() {
        connections.delete(held);
        held.close();
      },
    };
  } catch (error) {
    connection?.close();
    throw storageError(error, naming);
  }
}
