/** A wait of a run. */
import { setTimeout as wait } from 'node:timers/promises';

/** Answers once so many milliseconds are over, or the signal aborts: whoever waits looks at that in any case. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await wait(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
