/** A clock for tests: waiting takes no time, and is written down. */
import type { Clock } from '../../src/client/retry.ts';

export interface StillClock extends Clock {
  /** Each wait, in milliseconds. */
  waits: number[];
}

/** `jitter` is what `random` answers: 0 waits exactly as long as the service asks. */
export function stillClock(jitter = 0): StillClock {
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
