/**
 * Converts dates and times in files and forms to the API's formats. A date that doesn't exist, such as 30 February, isn't
 * corrected, so that validation refuses it.
 */

import { foldText } from '../../base/fold-text.ts';
import { toAsciiDigits } from './ascii-digits.ts';
import { isTimestamp } from './date-time.ts';

/** The supported orders of day, month and year. */
export const dateOrders = ['ymd', 'dmy', 'mdy'] as const;
/** The order of day, month and year in dates. */
export type DateOrder = (typeof dateOrders)[number];

const yearFirst = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$|^((?:19|20)\d\d)(\d\d)(\d\d)$/;
const yearLast = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})$/;

/** Matches the midnight that spreadsheets add to a date: 1999-07-06 0:00:00. */
const midnight = /[ T](?:0?0:00(?::00(?:\.0+)?)?Z?|12:00(?::00)?\s?AM)$/i;

/** Returns the text with ASCII digits and without a time of midnight. */
function normalizeDate(text: string): string {
  return toAsciiDigits(text.trim()).replace(midnight, '');
}

/** Returns a date as YYYY-MM-DD, or the unchanged text if it isn't a date. */
export function toApiDate(text: string, order: DateOrder): string {
  const normalized = normalizeDate(text);
  const [year, month, day] = (yearFirst.exec(normalized) ?? []).slice(1).filter((part) => part !== undefined);
  if (year !== undefined) return isoDate(year, month, day);
  const [, first, second, trailingYear] = yearLast.exec(normalized) ?? [];
  if (trailingYear === undefined) return parseNamedDate(text) ?? text;
  if (order === 'ymd' && first !== second) return text;
  return order === 'dmy' ? isoDate(trailingYear, second, first) : isoDate(trailingYear, first, second);
}

/** Matches a day with the month in words: `31-Dec-1990`, `Mon, 31 Dec 1990`, `31. Dezember 1990`, `31 de diciembre de 1990`. */
const dayFirst =
  /^(?:\p{L}+, ?)?(\d{1,2})(?:st|nd|rd|th|er|\.)?[-\s/]*(?:de )?(\p{L}[\p{L}\p{M} ]+?)\.?(?:[-\s/,.]+(?:de )?(\d{4}))?$/u;
const monthFirst =
  /^(?:\p{L}+, ?)?(\p{L}[\p{L}\p{M} ]+?)\.?[-\s/]+(\d{1,2})(?:st|nd|rd|th)?(?:[-\s/,]+(\d{4}))?$/u;

/**
 * Converts `1 Dec 2026`, `Dec 1, 2026` or `1 Aralık 2026` to YYYY-MM-DD. A date without a year gets `thisYear`. Returns
 * undefined for any other text.
 */
export function parseNamedDate(text: string, thisYear?: number): string | undefined {
  const normalized = normalizeDate(text).toLowerCase();
  const [, leadingDay, monthAfterDay, year] = dayFirst.exec(normalized) ?? [];
  const [, monthBeforeDay, trailingDay, otherYear] = monthFirst.exec(normalized) ?? [];
  const month = monthOf(foldText(monthAfterDay ?? monthBeforeDay ?? ''));
  const knownYear = year ?? otherYear ?? thisYear;
  if (month === undefined || knownYear === undefined) return undefined;
  return isoDate(String(knownYear), String(month), leadingDay ?? trailingDay);
}

/** The languages of month names; ar-SY has the names of the Levant. */
const monthLanguages = ['en', 'ar', 'ar-SY', 'tr', 'de', 'fr', 'es'];
let foldedMonths: { month: number; name: string }[] | undefined;

/** Returns the number of the only month whose name starts with a folded word of at least three letters. */
function monthOf(word: string): number | undefined {
  foldedMonths ??= monthLanguages.flatMap((language) =>
    (['long', 'short'] as const).flatMap((style) => {
      const format = new Intl.DateTimeFormat(language, {
        month: style,
        calendar: 'gregory',
        timeZone: 'UTC',
      });
      return Array.from({ length: 12 }, (_, index) => ({
        month: index + 1,
        name: foldText(format.format(Date.UTC(2000, index))),
      }));
    }),
  );
  const months = new Set(foldedMonths.flatMap(({ month, name }) => (name.startsWith(word) ? month : [])));
  return word.length >= 3 && months.size === 1 ? [...months][0] : undefined;
}

/** Converts a time in UTC, such as `1/12/2026 8:00 PM`, to `YYYY-MM-DD HH:MM` or `YYYY-MM-DD HH:MM:SS`; returns undefined for any other text. */
export function toApiTimestamp(text: string, order: DateOrder): string | undefined {
  const normalized = toAsciiDigits(text.trim());
  const [, day = '', hour, minute, second, meridiem] =
    /^(\S+)[ T](\d{1,2}):(\d\d)(?::(\d\d)(?:\.\d+)?)?(?:Z|\+00:?00|\s?([AP])M)?$/i.exec(normalized) ?? [];
  const date = toApiDate(day, order);
  const isValidHour = meridiem === undefined || (Number(hour) >= 1 && Number(hour) <= 12);
  if (hour === undefined || !isValidHour) return undefined;
  const hours = meridiem === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(meridiem) ? 12 : 0);
  const timestamp = `${date} ${String(hours).padStart(2, '0')}:${minute}`;
  if (!isTimestamp(`${timestamp}:${second ?? '00'}`)) return undefined;
  return second === undefined ? timestamp : `${timestamp}:${second}`;
}

/** Returns the order of day, month and year in a date; undefined if it is ambiguous or not a date. */
export function dateOrderOf(text: string): DateOrder | undefined {
  const normalized = normalizeDate(text);
  if (yearFirst.test(normalized)) return 'ymd';
  const [, first, second] = yearLast.exec(normalized) ?? [];
  if (first === undefined) return undefined;
  if (Number(first) > 12) return 'dmy';
  return Number(second) > 12 ? 'mdy' : undefined;
}

/** Returns whether the date is another day if the month comes first instead of the day. */
export function isAmbiguousDate(text: string): boolean {
  const [, first, second] = yearLast.exec(normalizeDate(text)) ?? [];
  return first !== undefined && Number(first) <= 12 && Number(second) <= 12 && first !== second;
}

function isoDate(year = '', month = '', day = ''): string {
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
}
