/** Waits between requests of a run. */
import { setTimeout as wait } from 'node:timers/promises';

/** Resolves after the given number of milliseconds or when the signal aborts. The caller checks the signal. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await wait(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
