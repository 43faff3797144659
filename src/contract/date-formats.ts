/**
 * Converts dates and times in files and forms to the API's formats. A date that doesn't exist, such as 30 February, isn't
 * corrected, so that validation refuses it.
 */

import { toAsciiDigits } from './ascii-digits.ts';
import { isTimestamp, monthNames } from './date-time.ts';

/** The supported orders of day, month and year. */
export const dateOrders = ['ymd', 'dmy', 'mdy'] as const;
/** The order of day, month and year in dates. */
export type DateOrder = (typeof dateOrders)[number];

const yearFirst = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/;
const yearLast = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})$/;

/** Matches the midnight that spreadsheets add to a date: 1999-07-06 0:00:00. */
const midnight = /[ T](?:0?0:00(?::00(?:\.0+)?)?|12:00(?::00)?\s?AM)$/i;

/** Returns the text with ASCII digits and without a time of midnight. */
function normalizeDate(text: string): string {
  return toAsciiDigits(text.trim()).replace(midnight, '');
}

/** Returns a date as YYYY-MM-DD, or the unchanged text if it isn't a date. */
export function toApiDate(text: string, order: DateOrder): string {
  const normalized = normalizeDate(text);
  const [, year, month, day] = yearFirst.exec(normalized) ?? [];
  if (year !== undefined) return isoDate(year, month, day);
  const [, first, second, trailingYear] = yearLast.exec(normalized) ?? [];
  if (trailingYear === undefined || order === 'ymd') return text;
  return order === 'dmy' ? isoDate(trailingYear, second, first) : isoDate(trailingYear, first, second);
}

/** Converts `1 Dec 2026` or `Dec 1, 2026` to YYYY-MM-DD. A date without a year gets `thisYear`. Returns undefined for any other text. */
export function parseNamedDate(text: string, thisYear: number): string | undefined {
  const normalized = normalizeDate(text).toLowerCase();
  const [, leadingDay, monthAfterDay = '', year] =
    /^(\d{1,2})\s+([a-z]{3,9})\.?(?:,?\s+(\d{4}))?$/.exec(normalized) ?? [];
  const [, monthBeforeDay = '', trailingDay, otherYear] =
    /^([a-z]{3,9})\.?\s+(\d{1,2})(?:,?\s+(\d{4}))?$/.exec(normalized) ?? [];
  const monthWord = monthAfterDay || monthBeforeDay;
  const month =
    monthWord === '' ? -1 : monthNames.findIndex((name) => name.toLowerCase().startsWith(monthWord));
  if (month === -1) return undefined;
  return isoDate(year ?? otherYear ?? String(thisYear), String(month + 1), leadingDay ?? trailingDay);
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
