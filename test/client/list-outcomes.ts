/** Checks the results of lists that change while they are read: each is complete, or fails as unavailable. */
import { expect } from 'vitest';

export interface ListOutcome {
  failure?: unknown;
  /** The IDs of records that existed all the time and were not returned. */
  missing: readonly unknown[];
  ids: readonly unknown[];
}

export function trackListOutcomes() {
  let [complete, total] = [0, 0];
  return {
    check({ failure, missing, ids }: ListOutcome): void {
      expect(new Set(ids).size).toBe(ids.length);
      total++;
      if (failure === undefined) {
        complete++;
        expect(missing).toEqual([]);
      } else {
        expect(failure).toMatchObject({ category: 'unavailable' });
      }
    },
    /** Failures are allowed, but not for most lists. */
    expectMostComplete(): void {
      expect(complete).toBeGreaterThan(total / 2);
    },
  };
}
