/** Days as people write them, made into those of the API: YYYY-MM-DD. */
import { plainDigits } from '../../contract/plain-digits.ts';

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

/** Why a day in the API’s form is hardly one of its calendar, as the end of a sentence: Persian, Islamic and Thai years. */
export function otherCalendar(day: string): string | undefined {
  const [, year = ''] = /^(\d{4})-\d\d-\d\d$/.exec(day) ?? [];
  // Far years are told of what never ends, such as 9999.
  const isOther = (year >= '1300' && year < '1500') || (year >= '2440' && year < '2700');
  if (!isOther) return undefined;
  return `must be a day of the Gregorian calendar: the year ${year} is hardly one of it`;
}

/** A moment, `YYYY-MM-DD HH:MM` or with seconds, in UTC, also as `8:00 PM`; undefined where it is none. */
export function plainMoment(text: string, form: DateForm): string | undefined {
  const digits = plainDigits(text.trim());
  const [, day = '', hour, minute, second, half] =
    /^(\S+)[ T](\d{1,2}):(\d\d)(?::(\d\d)(?:\.\d+)?)?(?:Z|\+00:?00|\s?([AP])M)?$/i.exec(digits) ?? [];
  const date = plainDate(day, form);
  if (hour === undefined || !/^\d{4}-\d\d-\d\d$/.test(date)) return undefined;
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0);
  return `${date} ${String(hours).padStart(2, '0')}:${minute}${second === undefined ? '' : `:${second}`}`;
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
