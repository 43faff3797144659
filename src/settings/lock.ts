/** One process at a time changes the configuration. */
import { rmSync, statSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { lock } from 'proper-lockfile';
import { Failure } from '../base/errors.ts';
import { asFailure } from './private-file.ts';

/** Milliseconds after which the lock of a process that died is free: an owner that lives renews it in time. */
const stale = 5_000;

/** Waits some twenty seconds in all: longer than a dead owner's lock holds, and than a line of many processes takes. */
const [mostTries, minPauseMs, maxPauseMs] = [200, 10, 150];

/**
 * Runs the task while holding the lock. `stillOurs` throws where the lock was lost meanwhile,
 * as happens to a process that was stopped for a long time: it is called last thing before writing.
 */
export async function withLock<Result>(
  path: string,
  task: (stillOurs: () => void) => Promise<Result>,
): Promise<Result> {
  let lost: Error | undefined;
  const release = await acquire(path, (error) => {
    lost = error;
  });
  try {
    return await task(() => {
      if (lost !== undefined) throw busy(path);
    });
  } finally {
    await release().catch(() => undefined);
  }
}

async function acquire(path: string, onCompromised: (error: Error) => void): Promise<() => Promise<void>> {
  try {
    await removeFromFuture(path);
    // The library would try everything again, a disk that can't be written among it.
    for (let tries = 1; ; tries++) {
      try {
        return await lock(path, { lockfilePath: path, realpath: false, stale, onCompromised });
      } catch (error) {
        if (!isLocked(error)) throw error;
        if (tries > mostTries) throw busy(path);
        const pauseMs = Math.min(maxPauseMs, minPauseMs * 1.1 ** tries);
        await wait(pauseMs * (1 + Math.random()));
      }
    }
  } catch (error) {
    throw asFailure(`The settings can't be locked (${path})`, error);
  }
}

function isLocked(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ELOCKED';
}

/**
 * A lock that its owner renews is never from the future. One that was left before the clock was set back would hold until
 * the clock has come round again: it is removed once it has not been renewed for as long as any other.
 */
async function removeFromFuture(path: string): Promise<void> {
  const timeOf = () => statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  const before = timeOf();
  if (before === undefined || before <= Date.now() + stale) return;
  await wait(stale);
  if (timeOf() === before) rmSync(path, { recursive: true, force: true });
}

function busy(path: string): Failure {
  return new Failure('unavailable', 'Another boh is changing the settings; nothing was changed.', {
    hint: `Try again. If no other boh is running, delete ${path}.`,
  });
}
