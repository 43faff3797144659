/** Locks a mirror, so that only one process syncs it at a time: two syncs would overwrite each other's progress. */
import { hash } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { appFolder } from '../../base/app-folders.ts';
import type { Environment } from '../../base/environment.ts';
import { Failure } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { isLoopback } from '../../base/loopback.ts';
import { isBusy } from '../../base/storage/failures.ts';
import { type FileLock, lockFile } from '../../base/storage/file-lock.ts';
import { connectToDatabase, databaseError, errorCodeOf } from './stores/postgres-connection.ts';
import { checkMirrorFile, describeMirrorFile } from './stores/sqlite-format.ts';
import type { MirrorTarget, PostgresTarget } from './target.ts';

/** A lock on a mirror. The promises resolve when another sync can take the lock. */
export interface MirrorLock {
  release(): void | Promise<void>;
}

/** The time between two attempts to take the lock, in milliseconds. */
const retryDelayMs = 200;

/**
 * Takes the lock of a mirror. If another process has it, waits until the signal aborts (`shouldWait`), or throws
 * `unavailable`.
 */
export async function lockMirror(
  target: MirrorTarget,
  { shouldWait, signal, env }: { shouldWait: boolean; signal: AbortSignal; env: Environment },
): Promise<MirrorLock> {
  refuseForeignFile(target);
  for (;;) {
    const lock =
      target.kind === 'sqlite' ? tryLock(resolveFile(target.file)) : await lockDatabaseOrFile(target, env);
    if (lock) return lock;
    if (!shouldWait) {
      throw new Failure('unavailable', `Another sync of the mirror ${target.label} is running.`, {
        hint: boh.hint`Wait for it with --lock. To show the age of the mirror: ${boh.mirror('mirror status')}`,
      });
    }
    await setTimeout(retryDelayMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

/** Takes the lock of a file. Returns undefined if another process has it. */
function tryLock(file: string): FileLock | undefined {
  try {
    return lockFile(describeMirrorFile(file));
  } catch (error) {
    if (isBusy(error)) return undefined;
    throw error;
  }
}

/**
 * Takes a lock in the database, which applies to all users and machines. For an engine without such locks, takes a lock
 * with a file in this user's data folder. Returns undefined if another sync has the lock.
 */
async function lockDatabaseOrFile(target: PostgresTarget, env: Environment): Promise<MirrorLock | undefined> {
  const lock = await lockDatabase(target);
  if (lock === 'taken') return undefined;
  if (lock !== 'none') return lock;
  const { host, port, database } = target;
  const hostName = isLoopback(host) ? 'localhost' : host;
  const name = hash('sha1', JSON.stringify([hostName, port, database])).slice(0, 16);
  return tryLock(join(appFolder(env, 'data'), 'locks', `mirror-${name}`));
}

/** The key of the lock within a database: "boh" in ASCII, and 1 for a sync. */
const lockKey = [0x626f68, 1];

/** Returns whether an error code is from an engine that speaks the protocol but has no advisory locks. */
const hasNoAdvisoryLocks = (code: string | undefined) => code === '42883' || code === '0A000';

/**
 * Takes an advisory lock, which applies to all users and machines until its connection is closed.
 * Returns `taken` if another sync has it, and `none` if the engine doesn't have advisory locks. Throws if the
 * connection fails.
 */
async function lockDatabase(target: PostgresTarget): Promise<MirrorLock | 'taken' | 'none'> {
  const client = await connectToDatabase(target);
  // The lock is released first: the server may detect the end of the connection only after the next attempt to lock.
  const release = async () => {
    await client.query('SELECT pg_advisory_unlock($1, $2)', lockKey).catch(() => {});
    await client.end().catch(() => {});
  };
  try {
    const { rows } = await client.query('SELECT pg_try_advisory_lock($1, $2) AS is_held', lockKey);
    if (rows[0]?.is_held === 't') return { release };
    await client.end();
    return 'taken';
  } catch (error) {
    void client.end().catch(() => {});
    if (hasNoAdvisoryLocks(errorCodeOf(error))) return 'none';
    throw databaseError(error, target);
  }
}

/** Throws if the file belongs to another program or is a folder, so that no lock file is created next to it. */
function refuseForeignFile(target: MirrorTarget): void {
  if (target.kind !== 'sqlite' || !existsSync(target.file)) return;
  try {
    checkMirrorFile(target.file);
  } catch (error) {
    // Another process is using the file: opening it for writing waits for that process.
    if (!isBusy(error)) throw error;
  }
}

/** Returns the path without symbolic links. If the file doesn't exist yet, only its folder is resolved. */
function resolveFile(file: string): string {
  for (const [path, suffix] of [
    [file, ''],
    [dirname(file), basename(file)],
  ] as const) {
    try {
      return join(realpathSync(path), suffix);
    } catch {
      // The path doesn't exist: try the next one.
    }
  }
  return file;
}
