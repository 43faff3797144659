/** What was deleted from a file, taken out of its bytes and those of its log: while others use it, once they let go of it. */
import { Failure } from '../errors.ts';
import type { Database } from './database.ts';
import { isBusy } from './failures.ts';
import { Turns } from './turns.ts';

/** A run of many lets go of the file every few moments; whoever reads all of a large one takes some seconds. In milliseconds. */
const usualTimeout = 20_000;

/** Throws the failure that it is still there where others keep the file for longer. */
export async function scrub(database: Database, timeout = usualTimeout): Promise<void> {
  const turns = new Turns();
  try {
    database.script('PRAGMA secure_delete = ON');
    await turns.soon(() => database.script('VACUUM'), { timeout });
    await turns.soon(() => emptyLog(database), { timeout });
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw new Failure(
      'unavailable',
      `What was taken out is still in the bytes of ${database.file}, and nowhere to be seen: another process is using it.`,
      { cause: error, outcome: 'unknown', hint: 'Run the same again once that has ended.' },
    );
  }
}

/** Without waiting for those who read: others could not write meanwhile. */
function emptyLog(database: Database): void {
  const wait = Number(database.get('PRAGMA busy_timeout')?.timeout);
  database.script('PRAGMA busy_timeout = 0');
  try {
    if (database.get('PRAGMA wal_checkpoint(TRUNCATE)')?.busy !== 0) throw database.failure('busy');
  } finally {
    database.script(`PRAGMA busy_timeout = ${wait}`);
  }
}
