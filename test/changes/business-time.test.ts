/** Dates and times in the time zone of the business. */
import { describe, expect, test } from 'vitest';
import { formatBusinessTime, parseBusinessTime, parseTimeZone } from '../../src/changes/business-time.ts';

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

  test('an unknown time zone: is refused with a similar name', () => {
    expect(() => parseTimeZone('Asia/Riad')).toThrow('Did you mean "Asia/Riyadh"?');
  });
});
