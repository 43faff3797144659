/**
 * Reads days and moments as people write them, in files and in forms, and writes them as the API does: YYYY-MM-DD. A day
 * that the calendar doesn't have is never moved to another one: it is written as it was meant, and refused by its reader.
 */
import { isTimestamp, monthNames } from './moment.ts';
import { plainDigits } from './plain-digits.ts';

/** The order of day, month and year. */
export type DateForm = 'ymd' | 'dmy' | 'mdy';

const yearFirst = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/;
const yearLast = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})$/;

/** A day as sheets show it that know it with its time: 1999-07-06 0:00:00. Any other time is none of a day. */
const midnight = /[ T](?:0?0:00(?::00(?:\.0+)?)?|12:00(?::00)?\s?AM)$/i;

/** Digits as the API has them, and nothing but the day. */
function dayIn(text: string): string {
  return plainDigits(text.trim()).replace(midnight, '');
}

/** In the API's form, or the text as it was where it is no day: who reads it then says so. */
export function plainDate(text: string, form: DateForm): string {
  const digits = dayIn(text);
  const [, year, month, day] = yearFirst.exec(digits) ?? [];
  if (year !== undefined) return written(year, month, day);
  const [, first, second, last] = yearLast.exec(digits) ?? [];
  if (last === undefined || form === 'ymd') return text;
  return form === 'dmy' ? written(last, second, first) : written(last, first, second);
}

/** `1 Dec 2026` or `Dec 1, 2026` in the API's form, of this year where it names none; undefined where no month is named. */
export function namedDay(text: string, thisYear: number): string | undefined {
  const digits = dayIn(text).toLowerCase();
  const [, before, first = '', year] = /^(\d{1,2})\s+([a-z]{3,9})\.?(?:,?\s+(\d{4}))?$/.exec(digits) ?? [];
  const [, second = '', behind, other] = /^([a-z]{3,9})\.?\s+(\d{1,2})(?:,?\s+(\d{4}))?$/.exec(digits) ?? [];
  const word = first || second;
  const month = word === '' ? -1 : monthNames.findIndex((name) => name.toLowerCase().startsWith(word));
  if (month === -1) return undefined;
  return written(year ?? other ?? String(thisYear), String(month + 1), before ?? behind);
}

/** A moment, `YYYY-MM-DD HH:MM` or with seconds, in UTC, also as `8:00 PM`; undefined where it is none. */
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

/** What a day tells of the order that it was written in; undefined where more than one could be meant. */
export function formIn(text: string): DateForm | undefined {
  const digits = dayIn(text);
  if (yearFirst.test(digits)) return 'ymd';
  const [, first, second] = yearLast.exec(digits) ?? [];
  if (first === undefined) return undefined;
  if (Number(first) > 12) return 'dmy';
  return Number(second) > 12 ? 'mdy' : undefined;
}

/** Whether it could be read with the day or the month first, as another day each time. */
export function isOpenDate(text: string): boolean {
  const [, first, second] = yearLast.exec(dayIn(text)) ?? [];
  return first !== undefined && Number(first) <= 12 && Number(second) <= 12 && first !== second;
}

function written(year = '', month = '', day = ''): string {
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
}
