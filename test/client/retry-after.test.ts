import { describe, expect, test } from 'vitest';
import { retryAfterMs, whenToRetry } from '../../src/account/client/retry.ts';
import { formatDuration } from '../../src/base/duration.ts';
import { fc } from '../harness/fast-check.ts';

const now = Date.UTC(2026, 10, 20, 8, 0, 0);
const pauseMs = (value: string, headers: Record<string, string> = {}) =>
  retryAfterMs({ headers: { 'retry-after': value, ...headers } }, now);

describe('Retry-After', () => {
  test.each([
    ['0', 0],
    ['7', 7_000],
    [' 120 ', 120_000],
    ['1.5', 1_500],
    ['1000000000', 1_000_000_000_000],
    ['9'.repeat(400), Number.MAX_SAFE_INTEGER],
  ])('%s: is parsed as seconds', (value, ms) => {
    expect(pauseMs(value)).toBe(ms);
  });

  test.each([
    ['Fri, 20 Nov 2026 08:02:00 GMT', 'of RFC 9110'],
    ['Friday, 20-Nov-26 08:02:00 GMT', 'of RFC 850'],
    ['Fri Nov 20 08:02:00 2026', 'of asctime, in UTC'],
  ])('%s: is parsed as a date in the format %s', (value) => {
    expect(pauseMs(value)).toBe(120_000);
  });

  test('a date in the past: is 0', () => {
    expect(pauseMs('Fri, 20 Nov 2026 07:00:00 GMT')).toBe(0);
  });

  test('a date: is relative to the Date header if the service sends it', () => {
    const value = 'Fri, 20 Nov 2026 10:01:00 GMT';
    expect(pauseMs(value, { date: 'Fri, 20 Nov 2026 10:00:30 GMT' })).toBe(30_000);
    expect(pauseMs(value, { date: 'half past ten' })).toBe(7_260_000);
  });

  test.each([
    '',
    '-5',
    '-0',
    '1e9',
    '0x10',
    'soon',
    'Soon 5',
    'May',
    '2026-11-20',
    'Mon, 99 Foo 2026 99:99:99 GMT',
    '١٢',
    '5, 60',
  ])('"%s": is invalid', (value) => {
    expect(pauseMs(value)).toBeUndefined();
  });

  test('is undefined without the header', () => {
    expect(retryAfterMs({ headers: {} }, now)).toBeUndefined();
  });

  test('of any value: is undefined or at least 0 ms', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.date({ noInvalidDate: true }).map(String),
          fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
        ),
        (value) => {
          const ms = pauseMs(value);
          expect(ms === undefined || (Number.isFinite(ms) && ms >= 0)).toBe(true);
        },
      ),
    );
  });
});

test.each([
  [1, '1 second'],
  [1_000, '1 second'],
  [30_000, '30 seconds'],
  [119_001, '2 minutes'],
  [3_600_000, '60 minutes'],
  [7_200_001, '3 hours'],
  [1_000_000_000_000, '11575 days'],
])('%i ms: formatted as %s, rounded up', (ms, formatted) => {
  expect(formatDuration(ms)).toBe(formatted);
});

test('whenToRetry: undefined without the header', () => {
  expect(whenToRetry({ headers: { 'retry-after': '90' } })).toBe('in 90 seconds');
  expect(whenToRetry({ headers: {} })).toBeUndefined();
});
