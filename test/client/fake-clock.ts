/** A clock for tests. Waits take no time and are recorded. */
import type { Clock } from '../../src/account/client/retry.ts';

export interface FakeClock extends Clock {
  /** The recorded waits, in milliseconds. */
  waits: number[];
}

/** Returns a fake clock. `jitter` is the result of `random`: with 0, waits are exactly as long as the service requests. */
export function fakeClock(jitter = 0): FakeClock {
  let now = Date.UTC(2026, 10, 20, 8, 0, 0);
  const waits: number[] = [];
  return {
    waits,
    now: () => now,
    random: () => jitter,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      waits.push(ms);
      now += ms;
    },
  };
}
