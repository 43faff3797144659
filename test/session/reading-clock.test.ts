/** From when on changes are asked for again: by the service's clock, never by the dates of records. */
import { expect, test } from 'vitest';
import { startReadingClock } from '../../src/session/reading-clock.ts';

const date = 'Sun, 22 Nov 2026 10:00:00 GMT';
const future = { id: '1', updated_at: '2031-01-01 00:00:00' };

test('a record dated in the future: the clock of the service is used', () => {
  const clock = startReadingClock();
  clock.observe(date, [future]);
  expect(clock.startedAt()).toBe('2026-11-22 10:00:00');
});

test('a service that sends no time, with a record dated in the future: at most the current time', () => {
  const clock = startReadingClock();
  const before = new Date().toISOString().slice(0, 19).replace('T', ' ');
  clock.observe(undefined, [{ id: '1', updated_at: '2999-01-01 00:00:00' }]);
  expect(clock.startedAt()?.slice(0, 4)).toBe(before.slice(0, 4));
});

test('neither a time nor a dated record: undefined', () => {
  const clock = startReadingClock();
  clock.observe(undefined, [{ id: '1', updated_at: 'yesterday' }]);
  expect(clock.startedAt()).toBeUndefined();
});

test('a stored time in the future of the service: refused, because changes would be missed', () => {
  const clock = startReadingClock('2031-01-01 00:00:00');
  expect(() => clock.observe(date, [])).toThrow(/and it now shows 2026-11-22/);
  expect(() => startReadingClock('2026-11-22 10:30:00').observe(date, [])).not.toThrow();
});
