import { describe, expect, test } from 'vitest';
import { formatTimestamp, isDate, isTimestamp, parseFilterTime } from '../../src/contract/date-time.ts';
import { fc } from '../harness/fast-check.ts';

const now = new Date('2026-11-20T08:30:00Z');
const parseAndFormat = (text: string) => {
  const time = parseFilterTime(text, now);
  return time && formatTimestamp(time);
};

describe('date', () => {
  test.each(['2026-11-20', '2024-02-29', '0001-01-01', '9999-12-31'])('%s is valid', (text) => {
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
  ])('"%s" is invalid', (text) => {
    expect(isDate(text)).toBe(false);
  });
});

test('dates and times of day: are those of the calendar', () => {
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

describe('timestamp', () => {
  test.each(['2026-11-20 00:00:00', '2026-11-20 23:59:59'])('%s is valid', (text) => {
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
  ])('"%s" is invalid', (text) => {
    expect(isTimestamp(text)).toBe(false);
  });
});

describe('timestamp of a filter', () => {
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
  ])('%s is %s in UTC', (text, utc) => {
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
    // Further back, or further on, than four digits of a year can say.
    '999999w',
    '0000-01-01T00:00:00+14:00',
    '9999-12-31T23:59:59-12:00',
  ])('"%s" is invalid', (text) => {
    expect(parseAndFormat(text)).toBeUndefined();
  });

  test('any text: is invalid, or has a value in the format of the API', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789-:T Z+mhdw.'), maxLength: 26 });
    fc.assert(
      fc.property(fc.oneof(fc.string(), digits), (text) => {
        const time = parseAndFormat(text);
        if (time !== undefined) expect(isTimestamp(time)).toBe(true);
      }),
    );
  });

  test('every second of four-digit years: is parsed back unchanged', () => {
    const range = {
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59Z'),
      noInvalidDate: true,
    };
    fc.assert(
      fc.property(fc.date(range), (time) => {
        const formatted = formatTimestamp(time);
        expect(parseAndFormat(formatted)).toBe(formatted);
        expect(parseAndFormat(time.toISOString())).toBe(formatted);
      }),
    );
  });
});
