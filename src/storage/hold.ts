/** A file kept to one process for as long as that lives: the system lifts the hold, however the process ends. */
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { asOwnerOf } from '../base/as-owner.ts';
import { makeFolder } from '../base/make-folder.ts';
import { type Naming, StorageFailure, storageError } from './failures.ts';
import { Place } from './unmoved.ts';

export interface Hold {
  release(): void;
  /** The same, and nothing stays beside the file: for one that is gone itself. */
  clear(): void;
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
      const place = new Place(file);
      connection.exec('BEGIN EXCLUSIVE');
      // Whoever had it has cleared it away meanwhile: this would hold what nobody else looks at.
      if (!place.isUnmoved()) throw new StorageFailure('busy', naming);
      return connection;
    });
    connections.add(held);
    const release = () => {
      connections.delete(held);
      held.close();
    };
    return {
      release,
      clear() {
        try {
          rmSync(file, { force: true });
        } catch {
          // Some systems take no file away that is open: it holds nothing, and may stay.
        }
        release();
      },
    };
  } catch (error) {
    connection?.close();
    throw storageError(error, naming);
  }
}
