import { describe, expect, test } from 'vitest';
import { date, decimal, hour, integer, phone, ring } from '../../src/api/contract/field.ts';
import { readMoment } from '../../src/api/contract/typed-text.ts';
import { findRing } from '../../src/cli/input/flag-values.ts';
import { parseAnswer } from '../../src/cli/prompts/parse-answer.ts';

// A Saturday.
const now = new Date(2026, 10, 21, 12);
const parseValue = (...args: Parameters<typeof parseAnswer>) => parseAnswer(...args).value;

describe('parseAnswer: numbers', () => {
  test.each([
    ['1,000', 1000],
    ['12,345,678.5', 12_345_678.5],
    ['٥٠', 50],
    ['5 kg', 5],
    ['5kg', 5],
    ['-3', -3],
    ['250 g', 0.25],
    ['1.5 kilos', 1.5],
  ])('%s: is the number %d', (text, number) => {
    expect(parseValue(decimal(), text, { now, unit: 'kg' })).toBe(number);
  });

  test('display: is the number with its unit, if that differs from the answer', () => {
    expect(parseAnswer(integer(), '1,000', { now, unit: 'kg' }).display).toBe('1000 kg');
    expect(parseAnswer(integer(), '1000', { now }).display).toBeUndefined();
  });

  test('a field in percent: accepts the percent sign', () => {
    expect(parseValue(decimal().unit('percent'), '20%', { now })).toBe(20);
    expect(parseAnswer(decimal().unit('currency'), '20%', { now }).problem).toContain('not "%"');
  });

  test.each(['SAR 4.9', '4.9 SAR', '$4.9', '4.9 €'])('%s: is an amount of money', (text) => {
    expect(parseValue(decimal().unit('currency'), text, { now })).toBe(4.9);
  });

  test('a field in another unit than percent: refuses the percent sign', () => {
    expect(parseAnswer(decimal(), '20%', { now, unitDescription: 'currency' }).problem).toContain(
      'must be in currency',
    );
    expect(parseValue(decimal(), '20%', { now, unitDescription: 'percent' })).toBe(20);
  });

  test.each(['2,5', '1,00', '5 l', 'SAR 5', 'many', '1,0000'])('%s: is refused as a number of kg', (text) => {
    expect(parseAnswer(decimal(), text, { now, unit: 'kg' }).problem).toBeDefined();
  });
});

test.each([
  ['6pm', '2026-11-21 18:00'],
  ['tomorrow', '2026-11-22 00:00'],
  ['Friday 6:30 pm', '2026-11-27 18:30'],
  ['9 Feb 2027 at noon', '2027-02-09 12:00'],
  ['2027-02-09 04:00', '2027-02-09 04:00'],
  ['2027-02-09', '2027-02-09'],
  ['2027-02-09T04:00Z', '2027-02-09T04:00Z'],
  ['some day', 'some day'],
])('readMoment: %s is %s', (text, moment) => {
  expect(readMoment(text, now)).toBe(moment);
});

test.each([
  ['5pm', 17],
  ['5 PM', 17],
  ['12am', 0],
  ['12 p.m.', 12],
  ['noon', 12],
  ['17', 17],
  ['17:00', 17],
])('parseAnswer: %s is the hour %d', (text, number) => {
  expect(parseValue(hour(), text, { now })).toBe(number);
});

test.each([
  ['today', '2026-11-21'],
  ['Tomorrow', '2026-11-22'],
  ['friday', '2026-11-27'],
  ['saturday', '2026-11-28'],
  ['23/11/2026', '2026-11-23'],
  ['1 Dec 2026', '2026-12-01'],
  ['2026-02-28', '2026-02-28'],
])('parseAnswer: %s is the date %s', (text, day) => {
  expect(parseValue(date(), text, { now })).toBe(day);
});

test.each([
  ['11/23/2026', '2026-11-23'],
  ['Dec 1, 2026', '2026-12-01'],
  ['31 December', '2026-12-31'],
  ['29 feb 2000', '2000-02-29'],
  ['٣١/١٢/١٩٩٩', '1999-12-31'],
])('parseAnswer: %s is the date %s, and display has its weekday', (text, day) => {
  const { value, display } = parseAnswer(date(), text, { now });
  expect([value, display]).toEqual([day, expect.stringMatching(new RegExp(`^${day} \\(\\w+day\\)$`))]);
});

test.each([
  ['31 feb 2000', 'February 2000 has 29 days'],
  ['29 feb 2023', 'February 2023 has 28 days'],
  ['29 feb', 'February 2026 has 28 days'],
  ['31/11/1999', 'November 1999 has 30 days'],
  ['11/31/1999', 'November 1999 has 30 days'],
  ['٣١/١١/١٩٩٩', 'November 1999 has 30 days'],
  ['1999-11-31', 'November 1999 has 30 days'],
  ['0 jan 2000', 'January 2000 has 31 days'],
  ['13/13/2000', 'must be a date in the form'],
  ['31/12/99', 'must be a date in the form'],
  ['5 maybe 2026', 'must be a date in the form'],
  ['1402-01-05', 'the year 1402 seems to be from another calendar'],
])('parseAnswer: %s is refused as a date: %s', (text, problem) => {
  expect(parseAnswer(date(), text, { now }).problem).toContain(problem);
});

test.each(['24:30', '25:61', '13pm', '0am', '9:15'])('parseAnswer: %s is refused as a whole hour', (text) => {
  expect(parseAnswer(hour(), text, { now }).problem).toContain('must be a whole hour');
});

test.each(['3/4/2026', '2026-02-30', 'someday'])(
  'parseAnswer: %s is refused as an ambiguous or invalid date',
  (text) => {
    expect(parseAnswer(date(), text, { now }).problem).toBeDefined();
  },
);

describe('parseAnswer: phone numbers', () => {
  const field = phone().callingCodeIn('dial_code');

  test.each([
    ['055 123 4567', '551234567', undefined],
    ['+966 55-123-4567', '551234567', { dial_code: 966 }],
    ['00966551234567', '551234567', { dial_code: 966 }],
    ['+1 (202) 555 0100', '2025550100', { dial_code: 1 }],
    ['+44 020 7946 0000', '2079460000', { dial_code: 44 }],
    ['+971501234567', '501234567', { dial_code: 971 }],
  ])('%s: is %s, and the calling code %j', (text, number, otherFields) => {
    const answer = parseAnswer(field, text, { now });
    expect(answer.value).toBe(number);
    expect(answer.otherFields).toEqual(otherFields);
  });

  test('a field without a field for the calling code: keeps the calling code', () => {
    expect(parseValue(phone(), '+966 55 123', { now })).toBe('+96655123');
  });
});

test('parseAnswer: the border is found in any type of GeoJSON object', () => {
  const coordinates = [
    [1, 2, 0],
    [3, 4, 0],
    [1, 2, 0],
  ];
  const flat = [
    [1, 2],
    [3, 4],
    [1, 2],
  ];
  const polygon = { type: 'Polygon', coordinates: [coordinates] };
  expect(findRing(polygon)).toEqual(flat);
  expect(findRing({ type: 'MultiPolygon', coordinates: [[coordinates]] })).toEqual(flat);
  expect(findRing({ features: [{ geometry: polygon }] })).toEqual(flat);
  expect(findRing({ type: 'Point' })).toBeUndefined();
  expect(parseAnswer(ring(), 'nowhere.geojson', { now }).problem).toContain('not found');
});
