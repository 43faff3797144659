/**
 * Changes the configuration file atomically, one process at a time. conf writes a new file next to the old one, and
 * renames it once it is completely on the disk. This protects against a crash, but not against a full disk: conf would
 * then replace the old file with a truncated one, without an error.
 */

import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import Conf from 'conf';
import { lock } from 'proper-lockfile';
import { Failure } from '../base/errors.ts';
import { checkConfig } from './config-schema.ts';
import { toFailure } from './private-file.ts';

/**
 * Replaces the text of the file, `before` (undefined if there is no file), with `text`. Returns false if another
 * process has changed the file: when the owner of a lock has died, two waiting processes may both take it. Throws a
 * usage failure if the text isn't a valid configuration, and `unavailable` if the file can't be written; the old file
 * is then unchanged. A symbolic link is kept, and its target is replaced.
 */
export function replaceConfigFile(path: string, before: string | undefined, text: string): boolean {
  checkConfig(JSON.parse(text), path);
  const target = realpathOf(path);
  const folder = dirname(target);
  removeLeftovers(folder, basename(target));
  const name = `${basename(target)}.next-${process.pid}-${randomBytes(4).toString('hex')}`;
  const newFile = join(folder, name);
  try {
    const conf = new Conf({
      cwd: folder,
      configName: name,
      fileExtension: '',
      configFileMode: 0o600,
      serialize: () => text,
    });
    conf.store = JSON.parse(text);
    if (readFileSync(newFile, 'utf8') !== text) throw Object.assign(new Error('cut off'), { code: 'ENOSPC' });
    if (textOf(target) !== before) return false;
    renameSync(newFile, target);
    syncFolder(folder);
    return true;
  } catch (error) {
    throw toFailure(`Can't write ${path}; it was not changed`, error);
  } finally {
    rmSync(newFile, { force: true });
  }
}

function textOf(path: string): string | undefined {
  return statSync(path, { throwIfNoEntry: false }) && readFileSync(path, 'utf8');
}

function realpathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

const leftoverMs = 60_000;

/** Deletes the new file of a killed process, which contains a token. */
function removeLeftovers(folder: string, name: string): void {
  for (const entry of readdirSync(folder)) {
    if (!entry.startsWith(`${name}.next-`)) continue;
    const leftover = join(folder, entry);
    const stats = statSync(leftover, { throwIfNoEntry: false });
    if (stats !== undefined && Date.now() - stats.mtimeMs > leftoverMs) rmSync(leftover, { force: true });
  }
}

/** Syncs the folder, so that the new name survives a power failure. Windows has no such operation. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** The age in ms after which a lock of a dead process is free: a living owner renews it in time. */
const staleMs = 5_000;

/**
 * Waits about twenty seconds in total: longer than the lock of a dead process is valid, and enough for a queue of many
 * processes.
 */
const [maxTries, minPauseMs, maxPauseMs] = [200, 10, 150];

/**
 * Runs the task with the lock. `requireLock` throws if the lock was lost, for example because the process was
 * stopped for a long time. Call it right before writing.
 */
export async function withLock<Result>(
  path: string,
  task: (requireLock: () => void) => Promise<Result>,
): Promise<Result> {
  let lockError: Error | undefined;
  const release = await acquire(path, (error) => {
    lockError = error;
  });
  try {
    return await task(() => {
      if (lockError !== undefined) throw busyFailure(path);
    });
  } finally {
    await release().catch(() => undefined);
  }
}

async function acquire(path: string, onCompromised: (error: Error) => void): Promise<() => Promise<void>> {
  try {
    await removeFutureLock(path);
    // The library would also retry other errors, such as a disk that can't be written.
    for (let tries = 1; ; tries++) {
      try {
        return await lock(path, { lockfilePath: path, realpath: false, stale: staleMs, onCompromised });
      } catch (error) {
        if (!isLocked(error)) throw error;
        if (tries > maxTries) throw busyFailure(path);
        const pauseMs = Math.min(maxPauseMs, minPauseMs * 1.1 ** tries);
        await wait(pauseMs * (1 + Math.random()));
      }
    }
  } catch (error) {
    throw toFailure(`Can't lock the settings (${path})`, error);
  }
}

function isLocked(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ELOCKED';
}

/**
 * Removes a lock with a time in the future, which was left before the clock was set back. An owner that renews its lock
 * never has such a time. The lock is removed after the usual time without a renewal.
 */
async function removeFutureLock(path: string): Promise<void> {
  const modificationTime = () => statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  const modifiedMs = modificationTime();
  if (modifiedMs === undefined || modifiedMs <= Date.now() + staleMs) return;
  await wait(staleMs);
  if (modificationTime() === modifiedMs) rmSync(path, { recursive: true, force: true });
}

function busyFailure(path: string): Failure {
  return new Failure('unavailable', 'Another boh process is changing the settings. Nothing was changed.', {
    hint: `Try again. If no other boh process is running, delete ${path}.`,
  });
}
