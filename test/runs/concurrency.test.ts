/** How many requests of a run are in flight, beside services of several kinds. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Concurrency } from '../../src/runs/concurrency.ts';

/** What becomes of the concurrency where an answer takes so long with so many in flight. */
function flown(
  answers: number,
  msFor: (inFlight: number) => number,
): { concurrency: Concurrency; widest: number } {
  const concurrency = new Concurrency(4, 16);
  let widest = concurrency.now;
  for (let count = 0; count < answers; count++) {
    concurrency.arrived(msFor(concurrency.now));
    widest = Math.max(widest, concurrency.now);
  }
  return { concurrency, widest };
}

describe('requests in flight', () => {
  test('become more where each takes its time however many there are, soon', () => {
    expect(flown(12, () => 20).concurrency.now).toBe(16);
    expect(flown(1000, () => 300).widest).toBe(16);
  });

  test('stay few where answers come at once', () => {
    expect(flown(10_000, () => 1).widest).toBe(4);
  });

  test('stay few where the service works on one after the other, or lets so many a minute through', () => {
    const { concurrency, widest } = flown(1000, (inFlight) => 10 * inFlight);
    expect(widest).toBeLessThanOrEqual(8);
    expect(concurrency.now).toBeLessThanOrEqual(8);
  });

  test('become fewer where the service becomes slower, and more again when that is over', () => {
    const { concurrency } = flown(100, () => 20);
    for (let count = 0; count < 100; count++) concurrency.arrived(200);
    expect(concurrency.now).toBe(4);
    for (let count = 0; count < 100; count++) concurrency.arrived(20);
    expect(concurrency.now).toBe(16);
  });

  test('stay few once the service could not be reached', () => {
    const { concurrency } = flown(100, () => 20);
    concurrency.failed();
    for (let count = 0; count < 1000; count++) concurrency.arrived(20);
    expect(concurrency.now).toBe(4);
  });

  test('are as many as somebody has said, whatever happens', () => {
    const concurrency = new Concurrency(3);
    for (let count = 0; count < 100; count++) {
      concurrency.arrived(20);
      if (count % 7 === 0) concurrency.failed();
      expect(concurrency.now).toBe(3);
    }
  });

  test('never leave their bounds', () => {
    fc.assert(
      fc.property(
        fc.array(fc.option(fc.double({ min: 0, max: 1e6, noNaN: true })), { maxLength: 300 }),
        (all) => {
          const concurrency = new Concurrency(4, 16);
          for (const ms of all) {
            if (ms === null) concurrency.failed();
            else concurrency.arrived(ms);
            expect(concurrency.now).toBeGreaterThanOrEqual(4);
            expect(concurrency.now).toBeLessThanOrEqual(16);
          }
        },
      ),
    );
  });
});
