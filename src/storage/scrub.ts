/** Removes deleted content from the bytes of a file and its log, also while other processes use the file. */
import { existsSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { Failure } from '../base/errors.ts';
import type { Database } from './database.ts';
import { isBusy } from './failures.ts';
import { FairQueue } from './fair-queue.ts';

/** How long to wait for other processes, in milliseconds. Runs release the file often; long reads take some seconds. */
const defaultTimeoutMs = 20_000;

/** Removes deleted content. Throws if other processes keep the file locked for longer. */
export async function scrub(database: Database, timeout = defaultTimeoutMs): Promise<void> {
  const turns = new FairQueue();
  try {
    database.script('PRAGMA secure_delete = ON');
    refuseWithoutRoom(database);
    await turns.readNow(() => database.script('VACUUM'), { timeout });
    // Checkpoints most of the log while others write, because emptying it blocks them.
    database.get('PRAGMA wal_checkpoint(PASSIVE)');
    await turns.readNow(() => emptyLog(database), { timeout });
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw new Failure(
      'unavailable',
      `The deleted content could not be erased from ${database.file}: another process is using the file.`,
      { cause: error, outcome: 'unknown', hint: 'Run the command again when that process has ended.' },
    );
  }
}

/** Returns the used size of a file in bytes; this much is rewritten. */
export function scrubbedBytes(database: Database): number {
  const { size } =
    database.get(
      'SELECT (page_count - freelist_count) * page_size AS size FROM pragma_page_count, pragma_freelist_count, pragma_page_size',
    ) ?? {};
  return Number(size);
}

/** Checks for free space: SQLite rewrites the file in its temporary folder, and then in the log. */
function refuseWithoutRoom(database: Database): void {
  if (database.file === ':memory:') return;
  const bytes = scrubbedBytes(database);
  const [beside, temporary] = [dirname(database.file), temporaryFolder()];
  const [here, there] = [roomIn(beside), roomIn(temporary)];
  const isOneDisk = here !== undefined && here.disk === there?.disk;
  const lacking = [
    { folder: beside, room: here, needed: isOneDisk ? 2 * bytes : bytes },
    { folder: temporary, room: isOneDisk ? undefined : there, needed: bytes },
  ].find(({ room, needed }) => room !== undefined && room.free < needed);
  if (!lacking?.room) return;
  const [needed, free] = [lacking.needed, lacking.room.free].map((size) => `${(size / 1e6).toFixed(1)} MB`);
  throw new Failure(
    'unavailable',
    `The deleted content could not be erased from ${database.file}: this needs ${needed} of disk space in ${lacking.folder}, which has ${free} free.`,
    { outcome: 'unknown', hint: 'Free some space there, then run the command again.' },
  );
}

/** Returns SQLite's temporary folder. */
function temporaryFolder(): string {
  const named = [process.env.SQLITE_TMPDIR, process.env.TMPDIR, '/var/tmp', '/usr/tmp', '/tmp'];
  const isUnix = process.platform !== 'win32';
  return (
    (isUnix ? named.find((folder) => folder !== undefined && existsSync(folder)) : undefined) ?? tmpdir()
  );
}

/** Returns the free space in bytes; undefined if the system doesn't report it. */
function roomIn(folder: string): { disk: number; free: number } | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return { disk: statSync(folder).dev, free: bavail * bsize };
  } catch {
    return undefined;
  }
}

/** Empties the log without waiting for readers, because writers would be blocked meanwhile. */
function emptyLog(database: Database): void {
  const wait = Number(database.get('PRAGMA busy_timeout')?.timeout);
  database.script('PRAGMA busy_timeout = 0');
  try {
    if (database.get('PRAGMA wal_checkpoint(TRUNCATE)')?.busy !== 0) throw database.failure('busy');
  } finally {
    database.script(`PRAGMA busy_timeout = ${wait}`);
  }
}
