/** Removes deleted content from the bytes of a file and its log, also while other processes use the file. */
import { existsSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { Failure } from '../base/errors.ts';
import type { Database } from './database.ts';
import { isBusy } from './failures.ts';
import { retryWhileBusy } from './retry-while-busy.ts';

/** How long to wait for other processes, in milliseconds. Runs lock the file only briefly; long reads take seconds. */
const defaultTimeoutMs = 20_000;

/** Removes deleted content. Throws if another process has the file locked for longer than `timeoutMs`. */
export async function scrub(database: Database, timeoutMs = defaultTimeoutMs): Promise<void> {
  try {
    database.script('PRAGMA secure_delete = ON');
    checkFreeSpace(database);
    await retryWhileBusy(() => database.script('VACUUM'), { timeoutMs });
    // Checkpoints most of the log while others write, because emptying it blocks them.
    database.get('PRAGMA wal_checkpoint(PASSIVE)');
    await retryWhileBusy(() => emptyLog(database), { timeoutMs });
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw new Failure(
      'unavailable',
      `The deleted content could not be erased from ${database.file}: another process is using the file.`,
      { cause: error, outcome: 'unknown', hint: 'Run the command again when that process has ended.' },
    );
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

/** Throws if there isn't enough free space: SQLite rewrites the file in its temporary folder, then in the log. */
function checkFreeSpace(database: Database): void {
  if (database.file === ':memory:') return;
  const bytes = usedBytes(database);
  const [databaseFolder, tempFolder] = [dirname(database.file), temporaryFolder()];
  const [databaseDisk, tempDisk] = [diskOf(databaseFolder), diskOf(tempFolder)];
  const isOneDisk = databaseDisk !== undefined && databaseDisk.disk === tempDisk?.disk;
  const shortage = [
    { folder: databaseFolder, disk: databaseDisk, neededBytes: isOneDisk ? 2 * bytes : bytes },
    { folder: tempFolder, disk: isOneDisk ? undefined : tempDisk, neededBytes: bytes },
  ].find(({ disk, neededBytes }) => disk !== undefined && disk.free < neededBytes);
  if (!shortage?.disk) return;
  const [neededSize, freeSize] = [shortage.neededBytes, shortage.disk.free].map(
    (size) => `${(size / 1e6).toFixed(1)} MB`,
  );
  throw new Failure(
    'unavailable',
    `The deleted content could not be erased from ${database.file}: this needs ${neededSize} of disk space in ${shortage.folder}, which has ${freeSize} free.`,
    { outcome: 'unknown', hint: 'Free some space there, then run the command again.' },
  );
}

/** Returns SQLite's temporary folder. */
function temporaryFolder(): string {
  const candidates = [process.env.SQLITE_TMPDIR, process.env.TMPDIR, '/var/tmp', '/usr/tmp', '/tmp'];
  const isUnix = process.platform !== 'win32';
  return (
    (isUnix ? candidates.find((folder) => folder !== undefined && existsSync(folder)) : undefined) ?? tmpdir()
  );
}

/** Returns the free space in bytes; undefined if the system doesn't report it. */
function diskOf(folder: string): { disk: number; free: number } | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return { disk: statSync(folder).dev, free: bavail * bsize };
  } catch {
    return undefined;
  }
}

/** Empties the log without waiting for readers, because writers would be blocked in the meantime. */
function emptyLog(database: Database): void {
  database.withoutWaiting(() => {
    if (database.get('PRAGMA wal_checkpoint(TRUNCATE)')?.busy !== 0) throw database.failure('busy');
  });
}
