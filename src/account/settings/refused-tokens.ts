/**
 * Prevents many processes from sending a refused token: sixty refusals block an IP address for an hour
 * (docs/reference/deployments.md: "Responses"). A refusal is remembered for a minute. Until a token is known to be
 * accepted, only a few processes at a time may try it.
 */

import { closeSync, existsSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { appFolder } from '../../base/app-folders.ts';
import type { Environment } from '../../base/environment.ts';
import { CacheFile, whoamiKey } from './caches.ts';
import { endpointName, type Settings } from './settings.ts';

/** The stored refusal of one token by one service. */
export interface TokenRefusal {
  /** Returns the milliseconds during which the token isn't sent; undefined if it may be sent. */
  remaining(): number | undefined;
  remember(): void;
  /** Waits while many other processes send the token for the first time. Call the returned function after sending. */
  admit(signal?: AbortSignal): Promise<() => void>;
  /** Deletes the refusal, for users who try a token on purpose by signing in or with `auth status`. */
  forget(): void;
}

const refusalLifetimeMs = 60_000;

/** Returns the refusal of the token in the settings, by their service. `now` returns milliseconds since 1970. */
export function refusalOf(
  settings: Settings,
  environment: Environment,
  now: () => number = Date.now,
): TokenRefusal {
  const { token, apiPrefix } = settings;
  if (token === undefined) {
    return { remaining: () => undefined, remember() {}, forget() {}, admit: async () => () => {} };
  }
  const key = whoamiKey(endpointName(settings) + apiPrefix, token);
  const file = new CacheFile(environment, 'refused.json');
  const writtenAt = (entry: unknown) => (typeof entry === 'number' ? entry : undefined);
  const readFresh = () => file.readFresh<number>({ lifetimeMs: refusalLifetimeMs, now, writtenAt });
  const remaining = () => {
    const refusedAt = readFresh()[key];
    return refusedAt === undefined ? undefined : refusedAt + refusalLifetimeMs - now();
  };
  return {
    remaining,
    admit: (signal) => waitForSlot(environment, key, { shouldStop: () => remaining() !== undefined, signal }),
    remember: () => file.write({ ...readFresh(), [key]: now() }),
    forget() {
      const { [key]: refusedAt, ...remaining } = readFresh();
      if (refusedAt !== undefined) file.write(remaining);
    },
  };
}

/** The maximum number of processes that may try one token at one service at once. */
const maxTrials = 8;

/** The age in ms after which a trial belongs to a process that has ended. */
const trialLifetimeMs = 3_000;

/** The pause between two checks for a free slot, in ms. */
const pauseMs = 20;
const maxWaitMs = 5_000;

/**
 * Waits for a free slot and takes it. Returns a function that frees the slot; it may be called repeatedly. Doesn't wait
 * if the folder can't be written, if `shouldStop` returns true, or longer than `maxWaitMs`. Throws the signal's reason.
 */
export async function waitForSlot(
  environment: Environment,
  key: string,
  { shouldStop, signal }: { shouldStop: () => boolean; signal?: AbortSignal | undefined },
): Promise<() => void> {
  const deadline = Date.now() + maxWaitMs;
  const folder = appFolder(environment, 'cache');
  for (;;) {
    const slot = takeSlot(folder, key);
    if (slot !== 'none' || shouldStop() || Date.now() > deadline) {
      return typeof slot === 'object' ? releaseOnce(slot.file) : () => {};
    }
    await wait(pauseMs * (1 + Math.random()), undefined, signal && { signal }).catch(() => {
      throw signal?.reason;
    });
  }
}

/** Returns a function that frees a slot only once: later, another process may own the slot. */
function releaseOnce(file: string): () => void {
  let isHeld = true;
  return () => {
    if (isHeld) rmSync(file, { force: true });
    isHeld = false;
  };
}

/** Takes a slot. Returns `unknown` if the folder can't be written. */
function takeSlot(folder: string, key: string): { file: string } | 'none' | 'unknown' {
  try {
    for (const folderPath of [dirname(folder), folder]) makeFolder(folderPath);
    for (let number = 0; number < maxTrials; number++) {
      const file = join(folder, `trying-${key.slice(0, 16)}-${number}`);
      if (createSlot(file)) return { file };
    }
    return 'none';
  } catch {
    return 'unknown';
  }
}

/** Creates the folder. Throws if its parent doesn't exist. */
function makeFolder(folder: string): void {
  if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
}

function createSlot(file: string): boolean {
  try {
    closeSync(openSync(file, 'wx', 0o600));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const modifiedMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  // This also removes a file with a time in the future, left before the clock was set back.
  if (modifiedMs !== undefined && Math.abs(Date.now() - modifiedMs) > trialLifetimeMs)
    rmSync(file, { force: true });
  return false;
}
