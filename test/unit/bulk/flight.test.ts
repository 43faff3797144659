/** How many requests of a run are in flight, beside services of several kinds. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Flight } from '../../../src/bulk/run/flight.ts';

/** What becomes of a flight where an answer takes so long with so many in flight. */
function flown(answers: number, msFor: (inFlight: number) => number): { flight: Flight; widest: number } {
  const flight = new Flight(4, 16);
  let widest = flight.now;
  for (let count = 0; count < answers; count++) {
    flight.arrived(msFor(flight.now));
    widest = Math.max(widest, flight.now);
  }
  return { flight, widest };
}

describe('requests in flight', () => {
  test('become more where each takes its time however many there are, soon', () => {
    expect(flown(12, () => 20).flight.now).toBe(16);
    expect(flown(1000, () => 300).widest).toBe(16);
  });

  test('stay few where answers come at once', () => {
    expect(flown(10_000, () => 1).widest).toBe(4);
  });

  test('stay few where the service works on one after the other, or lets so many a minute through', () => {
    const { flight, widest } = flown(1000, (inFlight) => 10 * inFlight);
    expect(widest).toBeLessThanOrEqual(8);
    expect(flight.now).toBeLessThanOrEqual(8);
  });

  test('become fewer where the service becomes slower, and more again when that is over', () => {
    const { flight } = flown(100, () => 20);
    for (let count = 0; count < 100; count++) flight.arrived(200);
    expect(flight.now).toBe(4);
    for (let count = 0; count < 100; count++) flight.arrived(20);
    expect(flight.now).toBe(16);
  });

  test('stay few once the service could not be reached', () => {
    const { flight } = flown(100, () => 20);
    flight.failed();
    for (let count = 0; count < 1000; count++) flight.arrived(20);
    expect(flight.now).toBe(4);
  });

  test('are as many as somebody has said, whatever happens', () => {
    const flight = new Flight(3);
    for (let count = 0; count < 100; count++) {
      flight.arrived(20);
      if (count % 7 === 0) flight.failed();
      expect(flight.now).toBe(3);
    }
  });

  test('never leave their bounds', () => {
    fc.assert(
      fc.property(
        fc.array(fc.option(fc.double({ min: 0, max: 1e6, noNaN: true })), { maxLength: 300 }),
        (all) => {
          const flight = new Flight(4, 16);
          for (const ms of all) {
            if (ms === null) flight.failed();
            else flight.arrived(ms);
            expect(flight.now).toBeGreaterThanOrEqual(4);
            expect(flight.now).toBeLessThanOrEqual(16);
          }
        },
      ),
    );
  });
});
