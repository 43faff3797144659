/** What was deleted from a file, taken out of its bytes and those of its log: while others use it, once they let go of it. */
import { existsSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { Failure } from '../base/errors.ts';
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
    refuseWithoutRoom(database);
    await turns.soon(() => database.script('VACUUM'), { timeout });
    // Most of it while others write: who empties the log keeps them from it.
    database.get('PRAGMA wal_checkpoint(PASSIVE)');
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

/** What is used of a file, in bytes: as much is written anew. */
export function scrubbedBytes(database: Database): number {
  const { size } =
    database.get(
      'SELECT (page_count - freelist_count) * page_size AS size FROM pragma_page_count, pragma_freelist_count, pragma_page_size',
    ) ?? {};
  return Number(size);
}

/** SQLite lays the file out anew in its folder for temporary files, and then in the log beside it. */
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
    `What was taken out is still in the bytes of ${database.file}, and nowhere to be seen: to write the file anew takes ${needed} on the disk of ${lacking.folder}, which has ${free}.`,
    { outcome: 'unknown', hint: 'Make room there, then run the same again.' },
  );
}

/** Where SQLite puts what is larger than its memory. */
function temporaryFolder(): string {
  const named = [process.env.SQLITE_TMPDIR, process.env.TMPDIR, '/var/tmp', '/usr/tmp', '/tmp'];
  const isUnix = process.platform !== 'win32';
  return (
    (isUnix ? named.find((folder) => folder !== undefined && existsSync(folder)) : undefined) ?? tmpdir()
  );
}

/** Undefined where the system doesn’t say. */
function roomIn(folder: string): { disk: number; free: number } | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return { disk: statSync(folder).dev, free: bavail * bsize };
  } catch {
    return undefined;
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
