/** What lists that change while they are read have to come to: whole but for what came or went, or a failure that says so. */
import { expect } from 'vitest';

export interface ListRead {
  failure?: unknown;
  /** Of what was there all the time, the ids that did not come. */
  lost: readonly unknown[];
  ids: readonly unknown[];
}

export function wholeOrTold() {
  let [whole, tried] = [0, 0];
  return {
    judge({ failure, lost, ids }: ListRead): void {
      expect(new Set(ids).size).toBe(ids.length);
      tried++;
      if (failure === undefined) {
        whole++;
        expect(lost).toEqual([]);
      } else {
        expect(failure).toMatchObject({ category: 'unavailable' });
      }
    },
    /** To fail is allowed, but not the rule. */
    demandMostWhole(): void {
      expect(whole).toBeGreaterThan(tried / 2);
    },
  };
}
