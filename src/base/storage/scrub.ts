/** Removes deleted content from the bytes of a file and its log, also while other processes use the file. */
import { dirname } from 'node:path';
import { Failure } from '../errors.ts';
import type { Database } from './database.ts';
import { StorageFailure } from './failures.ts';
import { retryWhileBusy } from './retry-while-busy.ts';

/** How long to wait for other processes, in milliseconds. Runs lock the file only briefly; long reads take seconds. */
const defaultTimeoutMs = 20_000;

/**
 * Removes deleted content. Throws if another process has the file locked for longer than `timeoutMs`, or if the disk is
 * full: SQLite rewrites the file in its temporary folder, then in the log.
 */
export async function scrub(database: Database, timeoutMs = defaultTimeoutMs): Promise<void> {
  try {
    database.script('PRAGMA secure_delete = ON');
    await retryWhileBusy(() => database.script('VACUUM'), { timeoutMs });
    // Checkpoints most of the log while others write, because emptying it blocks them.
    database.get('PRAGMA wal_checkpoint(PASSIVE)');
    await retryWhileBusy(() => emptyLog(database), { timeoutMs });
  } catch (error) {
    const problem = error instanceof StorageFailure ? error.problem : undefined;
    if (problem !== 'busy' && problem !== 'full') throw error;
    const [reason, hint] =
      problem === 'busy'
        ? ['another process is using the file', 'Run the command again when that process has ended.']
        : ['the disk is full', spaceHint(database)];
    const message = `The deleted content could not be erased from ${database.file}: ${reason}.`;
    throw new Failure('unavailable', message, { cause: error, outcome: 'unknown', hint });
  }
}

/** Returns the used size of a file in bytes, which is the amount to rewrite. */
export function usedBytes(database: Database): number {
  const { size } =
    database.get(
      'SELECT (page_count - freelist_count) * page_size AS size FROM pragma_page_count, pragma_freelist_count, pragma_page_size',
    ) ?? {};
  return Number(size);
}

function spaceHint(database: Database): string {
  const size = `${(usedBytes(database) / 1e6).toFixed(1)} MB`;
  return `Free ${size} in ${dirname(database.file)} and in the folder of temporary files, then run the command again.`;
}

/** Empties the log without waiting for readers, because writers would be blocked in the meantime. */
function emptyLog(database: Database): void {
  database.withoutWaiting(() => {
    if (database.get('PRAGMA wal_checkpoint(TRUNCATE)')?.busy !== 0) throw database.failure('busy');
  });
}
