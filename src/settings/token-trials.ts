/**
 * Who may show a service a token, as long as nobody knows whether it takes it: of many processes that begin at the same
 * moment, each would be refused by itself, and sixty refusals shut an address out (docs/reference/deployments.md: "Answers").
 */

import { closeSync, existsSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { asOwnerOf } from '../base/as-owner.ts';
import type { Environment } from '../base/environment.ts';
import { cacheFolder } from './folders.ts';

/** Of one token at its address. */
const mostAtOnce = 8;

/** Milliseconds after which a trial counts as one of a process that is gone. */
const lifetime = 3_000;

/** Milliseconds between two looks, and after which nobody waits any longer: an answer may take its time. */
const pauseMs = 20;
const longestWait = 5_000;

/**
 * Waits for a place and takes it; the answer gives it back, and does nothing when it is called again. Without a folder to count in, or
 * after a while, nobody is kept waiting. Throws the signal's reason. `isOver` ends the waiting.
 */
export async function takeTrial(
  environment: Environment,
  key: string,
  { isOver, signal }: { isOver: () => boolean; signal?: AbortSignal | undefined },
): Promise<() => void> {
  const until = Date.now() + longestWait;
  const folder = cacheFolder(environment);
  for (;;) {
    const place = placeIn(folder, key);
    if (place !== 'none' || isOver() || Date.now() > until) {
      return typeof place === 'object' ? givingBack(folder, place.file) : () => {};
    }
    await wait(pauseMs * (1 + Math.random()), undefined, signal && { signal }).catch(() => {
      throw signal?.reason;
    });
  }
}

/** Once: afterwards the place is that of another process. */
function givingBack(folder: string, file: string): () => void {
  let isTaken = true;
  return () => {
    if (isTaken) asOwnerOf(folder, () => rmSync(file, { force: true }));
    isTaken = false;
  };
}

/** `unknown` where the folder can’t be written. */
function placeIn(folder: string, key: string): { file: string } | 'none' | 'unknown' {
  try {
    return asOwnerOf(folder, () => {
      for (const made of [dirname(folder), folder]) makeFolder(made);
      for (let number = 0; number < mostAtOnce; number++) {
        const file = join(folder, `trying-${key.slice(0, 16)}-${number}`);
        if (take(file)) return { file };
      }
      return 'none';
    });
  } catch {
    return 'unknown';
  }
}

/** Where the one that it stands in isn’t there either, a folder of nobody’s is named: there is no place for it. */
function makeFolder(folder: string): void {
  if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
}

function take(file: string): boolean {
  try {
    closeSync(openSync(file, 'wx', 0o600));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const since = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  // Also one from a clock that was set back since: nobody would wait for that to come round again.
  if (since !== undefined && Math.abs(Date.now() - since) > lifetime) rmSync(file, { force: true });
  return false;
}
