/** Waits for conditions that other processes or callbacks fulfill, never for a fixed time. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { onTestFinished, vi } from 'vitest';

/** Time limit in milliseconds, so that a hanging test reports the unmet condition. Shorter than the limit of any test. */
export const waitLimitMs = 240_000;

/** Repeats the check until it no longer throws, and returns its result. */
export function waitUntil<Value>(check: () => Value | Promise<Value>): Promise<Value> {
  return vi.waitFor(check, { timeout: waitLimitMs, interval: 20 });
}

/** Waits for n turns of the event loop, after which everything in this process that can continue has done so. */
export async function waitForTurns(count = 100): Promise<void> {
  for (let turn = 0; turn < count; turn++) await nextTurn();
}

/** Stops the timers of this process until the end of the test, which fires them by `vi.advanceTimersByTimeAsync`. */
export function freezeTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}
