/** The number of concurrent requests of a run, with services of several kinds. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Concurrency } from '../../src/engine/runs/concurrency.ts';

/**
 * Returns the concurrency after a number of responses, and its maximum. `responseMs` returns the response time in ms at a
 * concurrency.
 */
function concurrencyAfter(
  answers: number,
  responseMs: (concurrent: number) => number,
): { concurrency: Concurrency; widest: number } {
  const concurrency = new Concurrency(4, 16);
  let widest = concurrency.limit;
  for (let count = 0; count < answers; count++) {
    concurrency.recordSuccess(responseMs(concurrency.limit));
    widest = Math.max(widest, concurrency.limit);
  }
  return { concurrency, widest };
}

describe('the number of concurrent requests', () => {
  test('grows quickly if responses take the same time at any concurrency', () => {
    expect(concurrencyAfter(12, () => 20).concurrency.limit).toBe(16);
    expect(concurrencyAfter(1000, () => 300).widest).toBe(16);
  });

  test('stays low if responses come immediately', () => {
    expect(concurrencyAfter(10_000, () => 1).widest).toBe(4);
  });

  test('stays low if the service works sequentially or has a rate limit', () => {
    const { concurrency, widest } = concurrencyAfter(1000, (concurrent) => 10 * concurrent);
    expect(widest).toBeLessThanOrEqual(8);
    expect(concurrency.limit).toBeLessThanOrEqual(8);
  });

  test('shrinks if the service becomes slower, and grows again when the service recovers', () => {
    const { concurrency } = concurrencyAfter(100, () => 20);
    for (let count = 0; count < 100; count++) concurrency.recordSuccess(200);
    expect(concurrency.limit).toBe(4);
    for (let count = 0; count < 100; count++) concurrency.recordSuccess(20);
    expect(concurrency.limit).toBe(16);
  });

  test('stays low after the service could not be reached', () => {
    const { concurrency } = concurrencyAfter(100, () => 20);
    concurrency.recordFailure();
    for (let count = 0; count < 1000; count++) concurrency.recordSuccess(20);
    expect(concurrency.limit).toBe(4);
  });

  test('is fixed if the user has set it', () => {
    const concurrency = new Concurrency(3);
    for (let count = 0; count < 100; count++) {
      concurrency.recordSuccess(20);
      if (count % 7 === 0) concurrency.recordFailure();
      expect(concurrency.limit).toBe(3);
    }
  });

  test('never leaves its bounds', () => {
    fc.assert(
      fc.property(
        fc.array(fc.option(fc.double({ min: 0, max: 1e6, noNaN: true })), { maxLength: 300 }),
        (durations) => {
          const concurrency = new Concurrency(4, 16);
          for (const ms of durations) {
            if (ms === null) concurrency.recordFailure();
            else concurrency.recordSuccess(ms);
            expect(concurrency.limit).toBeGreaterThanOrEqual(4);
            expect(concurrency.limit).toBeLessThanOrEqual(16);
          }
        },
      ),
    );
  });
});
