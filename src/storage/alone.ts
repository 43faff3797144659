/** A file that is kept to one connection while it is filled: what is written goes straight into it, in place of a log from which it is copied later. */
import type { DatabaseSync } from 'node:sqlite';

/** `isOthers` says of what was thrown whether somebody else has the file. Answers whether it could be: others may be there before. */
export function keepAlone(connection: DatabaseSync, isOthers: (error: unknown) => boolean): boolean {
  connection.exec('PRAGMA locking_mode = EXCLUSIVE');
  try {
    connection.exec('BEGIN EXCLUSIVE; COMMIT');
  } catch (error) {
    connection.exec('PRAGMA locking_mode = NORMAL');
    if (isOthers(error)) return false;
    throw error;
  }
  // Without a log a power cut would break the file that is written to, were it not waited for.
  connection.exec('PRAGMA synchronous = FULL');
  return true;
}

/** There is a log from here on, with its way of waiting for the disk. Not inside a transaction. */
export function shareAgain(connection: DatabaseSync, synchronous: string): void {
  connection.exec('PRAGMA locking_mode = NORMAL');
  try {
    // This gives the lock away once it is done: nobody gets in between.
    connection.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}`);
  } catch {
    // Where there is no room for it: all that was written stands, and whoever opens the file next begins the log.
  }
}
