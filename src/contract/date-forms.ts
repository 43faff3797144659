/**
 * Converts dates and times in files and forms to the API's format, YYYY-MM-DD. A date that doesn't exist isn't moved to
 * another day: it is converted as written, and validation refuses it.
 */
import { isTimestamp, monthNames } from './moment.ts';
import { plainDigits } from './plain-digits.ts';

/** The orders of day, month and year. */
export const dateForms = ['ymd', 'dmy', 'mdy'] as const;
/** An order of day, month and year. */
export type DateForm = (typeof dateForms)[number];

const yearFirst = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/;
const yearLast = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})$/;

/** Matches the midnight that spreadsheets add to a date: 1999-07-06 0:00:00. */
const midnight = /[ T](?:0?0:00(?::00(?:\.0+)?)?|12:00(?::00)?\s?AM)$/i;

/** Returns the date with 0-9 as digits and without midnight. */
function dayIn(text: string): string {
  return plainDigits(text.trim()).replace(midnight, '');
}

/** Returns a date in the API's format, or the unchanged text if it isn't a date. */
export function plainDate(text: string, form: DateForm): string {
  const digits = dayIn(text);
  const [, year, month, day] = yearFirst.exec(digits) ?? [];
  if (year !== undefined) return written(year, month, day);
  const [, first, second, last] = yearLast.exec(digits) ?? [];
  if (last === undefined || form === 'ymd') return text;
  return form === 'dmy' ? written(last, second, first) : written(last, first, second);
}

/** Returns `1 Dec 2026` or `Dec 1, 2026` in the API's format, with this year if it has none; undefined for other texts. */
export function namedDay(text: string, thisYear: number): string | undefined {
  const digits = dayIn(text).toLowerCase();
  const [, before, first = '', year] = /^(\d{1,2})\s+([a-z]{3,9})\.?(?:,?\s+(\d{4}))?$/.exec(digits) ?? [];
  const [, second = '', behind, other] = /^([a-z]{3,9})\.?\s+(\d{1,2})(?:,?\s+(\d{4}))?$/.exec(digits) ?? [];
  const word = first || second;
  const month = word === '' ? -1 : monthNames.findIndex((name) => name.toLowerCase().startsWith(word));
  if (month === -1) return undefined;
  return written(year ?? other ?? String(thisYear), String(month + 1), before ?? behind);
}

/** Returns a time in UTC, also one like `8:00 PM`, as `YYYY-MM-DD HH:MM` or with seconds; undefined for other texts. */
export function plainMoment(text: string, form: DateForm): string | undefined {
  const digits = plainDigits(text.trim());
  const [, day = '', hour, minute, second, half] =
    /^(\S+)[ T](\d{1,2}):(\d\d)(?::(\d\d)(?:\.\d+)?)?(?:Z|\+00:?00|\s?([AP])M)?$/i.exec(digits) ?? [];
  const date = plainDate(day, form);
  const isTwelve = half === undefined || (Number(hour) >= 1 && Number(hour) <= 12);
  if (hour === undefined || !isTwelve) return undefined;
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0);
  const moment = `${date} ${String(hours).padStart(2, '0')}:${minute}`;
  if (!isTimestamp(`${moment}:${second ?? '00'}`)) return undefined;
  return second === undefined ? moment : `${moment}:${second}`;
}

/** Returns the order of day, month and year in a date; undefined if it is ambiguous or not a date. */
export function dateFormOf(text: string): DateForm | undefined {
  const digits = dayIn(text);
  if (yearFirst.test(digits)) return 'ymd';
  const [, first, second] = yearLast.exec(digits) ?? [];
  if (first === undefined) return undefined;
  if (Number(first) > 12) return 'dmy';
  return Number(second) > 12 ? 'mdy' : undefined;
}

/** Whether the date is a different day depending on whether the day or the month comes first. */
export function isAmbiguousDate(text: string): boolean {
  const [, first, second] = yearLast.exec(dayIn(text)) ?? [];
  return first !== undefined && Number(first) <= 12 && Number(second) <= 12 && first !== second;
}

function written(year = '', month = '', day = ''): string {
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
}
