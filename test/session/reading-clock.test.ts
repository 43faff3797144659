/** Tests the time from which the next reading requests changes: it is the service's, not that of a record. */
import { expect, test } from 'vitest';
import { startReadingClock } from '../../src/account/session/reading-clock.ts';

const date = 'Sun, 22 Nov 2026 10:00:00 GMT';
const future = { id: '1', updated_at: '2031-01-01 00:00:00' };

test('a record dated in the future: startedAt is the time of the Date header', () => {
  const clock = startReadingClock();
  clock.observe(date, [future]);
  expect(clock.startedAt()).toBe('2026-11-22 10:00:00');
});

test('no Date header, and a record dated in the future: startedAt is the current time', () => {
  const clock = startReadingClock();
  clock.observe(undefined, [{ id: '1', updated_at: '2999-01-01 00:00:00' }]);
  const startedMs = Date.parse(`${clock.startedAt()?.replace(' ', 'T')}Z`);
  expect(startedMs).toBeLessThanOrEqual(Date.now());
  expect(startedMs).toBeGreaterThan(Date.now() - 60_000);
});

test('no Date header and no dated record: startedAt is undefined', () => {
  const clock = startReadingClock();
  clock.observe(undefined, [{ id: '1', updated_at: 'yesterday' }]);
  expect(clock.startedAt()).toBeUndefined();
});

test('a stored time ahead of the service by more than an hour: is refused', () => {
  const clock = startReadingClock('2031-01-01 00:00:00');
  expect(() => clock.observe(date, [])).toThrow(/but the service's time is now 2026-11-22/);
  expect(() => startReadingClock('2026-11-22 10:30:00').observe(date, [])).not.toThrow();
});
