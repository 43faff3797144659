/** Waiting for what happens elsewhere, and letting go on what can go on: by what is so, never by a time. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { onTestFinished, vi } from 'vitest';

/** In milliseconds: only so that a test that hangs says what it waits for. Less than any test may take. */
export const patienceMs = 240_000;

/** Repeats what another process or thread has to make true until it throws no more, and returns its result. */
export function until<Value>(look: () => Value | Promise<Value>): Promise<Value> {
  return vi.waitFor(look, { timeout: patienceMs, interval: 20 });
}

/** Waits for a number of turns of the event loop: whatever in this process can go on by itself has done so by then. */
export async function turns(count = 100): Promise<void> {
  for (let turn = 0; turn < count; turn++) await nextTurn();
}

/** Until the end of the test no timer of this process fires unless the test says so: `vi.advanceTimersByTimeAsync`. */
export function holdTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}
