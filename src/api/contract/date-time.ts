/** Parses, checks and formats dates and timestamps in the API's formats. All are UTC. */

import { secondsPerUnit } from '../../base/duration.ts';

const zonedPattern = /^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/;
const agoPattern = /^(\d{1,6})([mhdw])$/;

/** Returns whether the text is an existing day, `YYYY-MM-DD`; 2024-02-30 isn't one. */
export function isDate(text: string): boolean {
  return text.length === 10 && startsWithDate(text);
}

const datePattern = /^(\d{4})-(\d\d)-\d\d$/;
const dateFormatProblem = 'must be a date in the form YYYY-MM-DD, for example 2026-11-20';

/** Returns why a date from a user is invalid, as the end of a sentence; undefined if it is valid. */
export function dateProblem(text: string): string | undefined {
  if (isDate(text)) return calendarProblem(text);
  const [, year = '', month = ''] = datePattern.exec(text) ?? [];
  const monthName = monthNames[Number(month) - 1];
  if (monthName === undefined) return dateFormatProblem;
  return `must be an existing date: ${monthName} ${year} has ${daysInMonth(Number(year), Number(month))} days`;
}

/** Returns a problem for years that are probably from the Persian, Islamic or Thai calendar. */
function calendarProblem(day: string): string | undefined {
  const year = day.slice(0, 4);
  // Later years, such as 9999, are used for "never".
  const isOtherCalendar = (year >= '1300' && year < '1500') || (year >= '2440' && year < '2700');
  if (!isOtherCalendar) return undefined;
  return `must be a date in the Gregorian calendar: the year ${year} seems to be from another calendar`;
}

/** The English names of the months, in order. */
const monthNames = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December'],
];

/** Returns whether the text is an existing time, `YYYY-MM-DD HH:MM:SS`. */
export function isTimestamp(text: string): boolean {
  return (
    text.length === 19 &&
    startsWithDate(text) &&
    text.charCodeAt(10) === charCodes.blank &&
    parseDigits(text, 11, 2) < 24 &&
    text.charCodeAt(13) === charCodes.colon &&
    parseDigits(text, 14, 2) < 60 &&
    text.charCodeAt(16) === charCodes.colon &&
    parseDigits(text, 17, 2) < 60
  );
}

const charCodes = { blank: 0x20, dash: 0x2d, zero: 0x30, colon: 0x3a } as const;

/** Checks single characters instead of a pattern for speed, because every record of a list has several timestamps. */
function startsWithDate(text: string): boolean {
  const [year, month, day] = [parseDigits(text, 0, 4), parseDigits(text, 5, 2), parseDigits(text, 8, 2)];
  const hasDashes = text.charCodeAt(4) === charCodes.dash && text.charCodeAt(7) === charCodes.dash;
  return hasDashes && year >= 0 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
}

function daysInMonth(year: number, month: number): number {
  if (month !== 2) return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

/** Parses `count` digits from an index as a number; NaN if any character isn't a digit. */
function parseDigits(text: string, from: number, count: number): number {
  let value = 0;
  for (let index = from; index < from + count; index++) {
    const digit = text.charCodeAt(index) - charCodes.zero;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

const msPerDay = secondsPerUnit.d * 1000;

/** Returns the day that is a number of days after a day, both `YYYY-MM-DD`. */
export function daysAfter(day: string, count: number): string {
  return new Date(Date.parse(day) + count * msPerDay).toISOString().slice(0, 10);
}

/** Returns the number of days from one day to another, both `YYYY-MM-DD`. */
export function daysBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / msPerDay;
}

/** Returns a time as `YYYY-MM-DD HH:MM:SS` in UTC. */
export function formatTimestamp(time: Date): string {
  return time.toISOString().slice(0, 19).replace('T', ' ');
}

/**
 * Parses a time for a filter: a date or timestamp of the API, ISO 8601 with a zone, or a time ago (`90m`, `12h`, `7d`,
 * `2w`). Returns undefined for any other text, and for years that don't have four digits.
 */
export function parseFilterTime(text: string, now: Date): Date | undefined {
  const time = parseTime(text, now);
  const year = time?.getUTCFullYear() ?? Number.NaN;
  return year >= 0 && year <= 9999 ? time : undefined;
}

function parseTime(text: string, now: Date): Date | undefined {
  if (isDate(text)) return new Date(`${text}T00:00:00Z`);
  if (isTimestamp(text)) return new Date(`${text.replace(' ', 'T')}Z`);
  const ago = agoPattern.exec(text);
  if (ago)
    return new Date(
      now.getTime() - Number(ago[1]) * secondsPerUnit[ago[2] as keyof typeof secondsPerUnit] * 1000,
    );
  // The Date constructor turns 30 February into 1 March, so the day is checked first.
  return zonedPattern.test(text) && isDate(text.slice(0, 10)) ? new Date(text) : undefined;
}

/** Returns whether the last day is before the first one, both `YYYY-MM-DD`. */
export function isEndBeforeStart(first: unknown, last: unknown): boolean {
  return typeof first === 'string' && typeof last === 'string' && last < first;
}
