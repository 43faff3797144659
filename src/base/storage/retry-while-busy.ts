/** Waits for a file that another process has locked, without blocking this process. */
import { setTimeout } from 'node:timers/promises';
import { elapsedMs } from '../stopwatch.ts';
import { isBusy } from './failures.ts';

export interface WaitOptions {
  /** Ends the wait with its reason. */
  signal?: AbortSignal | undefined;
  /** How long to wait before the failure is thrown, in milliseconds; by default 5 seconds. */
  timeoutMs?: number | undefined;
}

/** The first and the longest delay between two attempts, in milliseconds. */
const retryDelayMs = { first: 2, longest: 25 };

/**
 * Runs the work until it doesn't fail because of another process. The first attempt is made before this function returns.
 * The connections of the work have a `busyTimeoutMs` of 0, because SQLite's own wait blocks this process.
 */
export async function retryWhileBusy<T>(
  work: () => T,
  { signal, timeoutMs = 5000 }: WaitOptions = {},
): Promise<T> {
  const deadline = elapsedMs() + timeoutMs;
  for (let delayMs = retryDelayMs.first; ; delayMs = Math.min(2 * delayMs, retryDelayMs.longest)) {
    signal?.throwIfAborted();
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || elapsedMs() >= deadline) throw error;
    }
    await setTimeout(delayMs, undefined, { signal }).catch(() => signal?.throwIfAborted());
  }
}
