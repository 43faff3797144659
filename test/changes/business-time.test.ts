/** Dates and times in the time zone of the business. */
import { existsSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { parseTimeZone } from '../../src/base/local-time-zone.ts';
import { formatBusinessTime, parseBusinessTime } from '../../src/engine/changes/business-time.ts';
import { parseTimeWindow } from '../../src/engine/runs/time-window.ts';

describe('the time zone of this machine', () => {
  const earlier = process.env.TZ;
  const zoneWith = (tz: string) => {
    process.env.TZ = tz;
    return parseTimeZone(undefined);
  };
  afterEach(() => {
    if (earlier === undefined) delete process.env.TZ;
    else process.env.TZ = earlier;
  });

  test.each([
    ['', 'UTC', 0],
    [':', 'UTC', 0],
    ['UTC', 'UTC', 0],
    ['UTC0', 'UTC', 0],
    ['GMT', 'UTC', 0],
    ['Asia/Riyadh', 'Asia/Riyadh', -180],
    ['asia/riyadh', 'Asia/Riyadh', -180],
    [':Asia/Riyadh', 'Asia/Riyadh', -180],
    ['posix/Asia/Riyadh', 'Asia/Riyadh', -180],
    ['/usr/share/zoneinfo/Asia/Riyadh', 'Asia/Riyadh', -180],
    [':/usr/share/zoneinfo/posix/Asia/Riyadh', 'Asia/Riyadh', -180],
    ['AST-3', 'Etc/GMT-3', -180],
    ['AST-03:00', 'Etc/GMT-3', -180],
    ['<+03>-3', 'Etc/GMT-3', -180],
    ['UTC+3', 'Etc/GMT+3', 180],
    ['GMT+3', 'Etc/GMT+3', 180],
    ['EST5', 'Etc/GMT+5', 300],
    ['EST5EDT', 'America/New_York', 300],
  ])('TZ="%s": is %s, also for dates', (tz, zone, minutes) => {
    expect(zoneWith(tz)).toBe(zone);
    expect(new Date(2027, 0, 1).getTimezoneOffset()).toBe(minutes);
  });

  test.each([
    'Nowhere/City',
    'Asia/Riyadh ',
    'CET-1CEST',
    'CET-1CEST,M3.5.0,M10.5.0/3',
    'IST-5:30',
    'AST-15',
    '+03:00',
    '-3',
    '3',
    'AB-3',
    '/missing/zone',
    '/dev/null',
  ])('TZ="%s": is refused, and --timezone is named', (tz) => {
    expect(() => zoneWith(tz)).toThrow(
      expect.objectContaining({
        category: 'usage',
        message: `TZ="${tz}" isn't a known time zone.`,
        details: expect.objectContaining({ hint: expect.stringContaining('--timezone Asia/Riyadh') }),
      }),
    );
    expect(() => parseTimeWindow('23:00-06:00')).toThrow('TZ=');
    expect(parseTimeZone('Asia/Riyadh')).toBe('Asia/Riyadh');
  });

  test.skipIf(!existsSync('/etc/localtime'))('the link /etc/localtime: is the zone that it points to', () => {
    expect(zoneWith(':/etc/localtime')).toMatch(/^[A-Z]/);
  });
});

describe('parseBusinessTime', () => {
  const parseAndFormat = (text: string, zone: string) =>
    formatBusinessTime(parseBusinessTime(text, zone, '--at'), zone);

  test.each([
    ['2027-02-08 04:00', 'Asia/Riyadh', '2027-02-08 04:00 Asia/Riyadh (2027-02-08 01:00 UTC)'],
    ['2027-07-01 04:00', 'Europe/Berlin', '2027-07-01 04:00 Europe/Berlin (2027-07-01 02:00 UTC)'],
    ['2027-12-01 04:00', 'Europe/Berlin', '2027-12-01 04:00 Europe/Berlin (2027-12-01 03:00 UTC)'],
    ['2028-02-29', 'UTC', '2028-02-29 00:00 UTC'],
    ['2027-02-08T04:00+03:00', 'UTC', '2027-02-08 01:00 UTC'],
    ['2027-10-31 02:30+01:00', 'Europe/Berlin', '2027-10-31 02:30 Europe/Berlin (2027-10-31 01:30 UTC)'],
  ])('%s in %s: is %s', (text, zone, expected) => {
    expect(parseAndFormat(text, zone)).toBe(expected);
  });

  test('a day without midnight because of a clock change: begins at the first time of the day', () => {
    expect(parseAndFormat('2027-04-30', 'Africa/Cairo')).toBe(
      '2027-04-30 01:00 Africa/Cairo (2027-04-29 22:00 UTC)',
    );
  });

  test.each([
    ['2027-03-28 02:30', "doesn't exist in Europe/Berlin", 'Write "2027-03-28 03:30+02:00".'],
    ['2027-10-31 02:30', 'exists twice', 'Write "2027-10-31 02:30+02:00" or "2027-10-31 02:30+01:00".'],
  ])('%s, during a clock change: is refused with the possible times', (text, message, hint) => {
    expect(() => parseAndFormat(text, 'Europe/Berlin')).toThrow(
      expect.objectContaining({
        message: expect.stringContaining(message),
        details: expect.objectContaining({ hint }),
      }),
    );
  });

  test.each(['2027-02-29', '2027-02-08 25:00', 'tomorrow', '1448-09-01'])('%s: is refused', (text) => {
    expect(() => parseAndFormat(text, 'UTC')).toThrow("isn't a date or time");
  });

  test.each([
    '0001-01-01',
    '1969-12-31',
    '9999-12-31',
    '9999-12-31 23:59',
    '9999-01-01T00:00Z',
    '1969-01-01 04:00+03:00',
  ])('%s, with an extreme year: is refused', (text) => {
    for (const zone of ['UTC', 'Asia/Riyadh', 'America/New_York'])
      expect(() => parseAndFormat(text, zone)).toThrow(
        `--at: the year of ${text} must be between 1970 and 9998.`,
      );
  });

  test.each(['1970-01-01', '9998-12-31 23:59:59'])('%s: is read in every zone', (text) => {
    for (const zone of ['UTC', 'Asia/Riyadh', 'America/New_York', '-12:00', '+14:00'])
      expect(parseAndFormat(text, zone)).toContain(text.slice(0, 10));
  });

  test.each(['10000-01-01', '+275760-09-13', '+010000-01-01T00:00Z', '-000001-01-01'])(
    '%s: is refused',
    (text) => {
      expect(() => parseAndFormat(text, 'UTC')).toThrow("isn't a date or time");
    },
  );

  test('an unknown time zone: is refused with a similar name', () => {
    expect(() => parseTimeZone('Asia/Riad')).toThrow('Did you mean "Asia/Riyadh"?');
  });
});
