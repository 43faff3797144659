/** Tests from when on the next reading requests changes: by the service's clock, not by the dates of records. */
import { expect, test } from 'vitest';
import { startReadingClock } from '../../src/session/reading-clock.ts';

const date = 'Sun, 22 Nov 2026 10:00:00 GMT';
const future = { id: '1', updated_at: '2031-01-01 00:00:00' };

test('a record dated in the future: startedAt is the time of the Date header', () => {
  const clock = startReadingClock();
  clock.observe(date, [future]);
  expect(clock.startedAt()).toBe('2026-11-22 10:00:00');
});

test('no Date header, and a record dated in the future: startedAt is at most the current time', () => {
  const clock = startReadingClock();
  const now = new Date().toISOString().slice(0, 19).replace('T', ' ');
  clock.observe(undefined, [{ id: '1', updated_at: '2999-01-01 00:00:00' }]);
  expect(clock.startedAt()?.slice(0, 4)).toBe(now.slice(0, 4));
});

test('no Date header and no dated record: startedAt is undefined', () => {
  const clock = startReadingClock();
  clock.observe(undefined, [{ id: '1', updated_at: 'yesterday' }]);
  expect(clock.startedAt()).toBeUndefined();
});

test('a stored time ahead of the service by more than an hour: is refused', () => {
  const clock = startReadingClock('2031-01-01 00:00:00');
  expect(() => clock.observe(date, [])).toThrow(/and its time is now 2026-11-22/);
  expect(() => startReadingClock('2026-11-22 10:30:00').observe(date, [])).not.toThrow();
});
