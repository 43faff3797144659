import { describe, expect, test } from 'vitest';
import { formatTimestamp, isDate, isTimestamp, parseFilterTime } from '../../src/api/contract/date-time.ts';
import { fc } from '../harness/fast-check.ts';

const now = new Date('2026-11-20T08:30:00Z');
const parseAndFormat = (text: string) => {
  const time = parseFilterTime(text, now);
  return time && formatTimestamp(time);
};

describe('isDate', () => {
  test.each(['2026-11-20', '2024-02-29', '0001-01-01', '9999-12-31'])('%s: true', (text) => {
    expect(isDate(text)).toBe(true);
  });

  test.each([
    '2024-02-30',
    '2023-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-1-1',
    '26-11-20',
    '2026-11-20 ',
    '',
    '٢٠٢٦-١١-٢٠',
    '+02026-11-20',
  ])('"%s": false', (text) => {
    expect(isDate(text)).toBe(false);
  });
});

test('isDate and isTimestamp: agree with the Date constructor', () => {
  const digits = (length: number) => fc.stringMatching(new RegExp(`^[0-9]{${length}}$`));
  const anyDateTime = fc.tuple(digits(4), fc.nat(14), fc.nat(34), fc.nat(25), fc.nat(61), fc.nat(61));
  const twoDigits = (number: number) => String(number).padStart(2, '0');
  fc.assert(
    fc.property(anyDateTime, ([year, month, date, hour, minute, second]) => {
      const [day, time] = [
        `${year}-${twoDigits(month)}-${twoDigits(date)}`,
        `${twoDigits(hour)}:${twoDigits(minute)}:${twoDigits(second)}`,
      ];
      const isCalendarTime = (text: string) => {
        const time = new Date(text);
        return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text.slice(0, 19));
      };
      expect(isDate(day)).toBe(isCalendarTime(`${day}T00:00:00Z`));
      expect(isTimestamp(`${day} ${time}`)).toBe(isCalendarTime(`${day}T${time}Z`));
    }),
  );
});

describe('isTimestamp', () => {
  test.each(['2026-11-20 00:00:00', '2026-11-20 23:59:59'])('%s: true', (text) => {
    expect(isTimestamp(text)).toBe(true);
  });

  test.each([
    '2026-11-20',
    '2026-11-20T08:30:00',
    '2026-11-20 24:00:00',
    '2026-11-20 08:60:00',
    '2026-11-20 08:30:60',
    '2026-02-30 08:30:00',
    '2026-11-20 8:30:00',
    '2026-11-20 08:30:00Z',
  ])('"%s": false', (text) => {
    expect(isTimestamp(text)).toBe(false);
  });
});

describe('parseFilterTime', () => {
  test.each([
    ['2026-11-20', '2026-11-20 00:00:00'],
    ['2026-11-20 08:30:00', '2026-11-20 08:30:00'],
    ['2026-11-20T11:30:00+03:00', '2026-11-20 08:30:00'],
    ['2026-11-20T11:30:00+0300', '2026-11-20 08:30:00'],
    ['2026-11-20T11:30+03:00', '2026-11-20 08:30:00'],
    ['2026-11-19T23:30:00.250-01:00', '2026-11-20 00:30:00'],
    ['2026-11-20T08:30:00Z', '2026-11-20 08:30:00'],
    ['90m', '2026-11-20 07:00:00'],
    ['12h', '2026-11-19 20:30:00'],
    ['7d', '2026-11-13 08:30:00'],
    ['2w', '2026-11-06 08:30:00'],
    ['0d', '2026-11-20 08:30:00'],
  ])('%s: returns %s in UTC', (text, utc) => {
    expect(parseAndFormat(text)).toBe(utc);
  });

  test.each([
    '',
    'yesterday',
    '7',
    '-7d',
    '7 d',
    '1.5h',
    '9999999d',
    '2026-11-20T08:30:00',
    '2026-02-30T08:30:00Z',
    '2026-11-20T24:00:00Z',
    '2026-11-20T08:30:00+99:99',
    '2026-11-20t08:30:00z',
    // These years don't have four digits.
    '999999w',
    '0000-01-01T00:00:00+14:00',
    '9999-12-31T23:59:59-12:00',
  ])('"%s": returns undefined', (text) => {
    expect(parseAndFormat(text)).toBeUndefined();
  });

  test('any text: returns undefined or an existing time', () => {
    const timeText = fc.string({ unit: fc.constantFrom(...'0123456789-:T Z+mhdw.'), maxLength: 26 });
    fc.assert(
      fc.property(fc.oneof(fc.string(), timeText), (text) => {
        const time = parseAndFormat(text);
        if (time !== undefined) expect(isTimestamp(time)).toBe(true);
      }),
    );
  });

  test('formatted time: is parsed back unchanged', () => {
    const range = {
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59Z'),
      noInvalidDate: true,
    };
    fc.assert(
      fc.property(fc.date(range), (time) => {
        const timestamp = formatTimestamp(time);
        expect(parseAndFormat(timestamp)).toBe(timestamp);
        expect(parseAndFormat(time.toISOString())).toBe(timestamp);
      }),
    );
  });
});
