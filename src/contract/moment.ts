/** Dates and timestamps as the API writes them, read from what people type. Always UTC. */

const zonedForm = /^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/;
const agoForm = /^(\d{1,6})([mhdw])$/;

const seconds = { m: 60, h: 3600, d: 86_400, w: 604_800 } as const;

/** Whether it is a day of the calendar, written `YYYY-MM-DD`: 2024-02-30 is not. */
export function isDate(text: string): boolean {
  return text.length === 10 && isDayOf(text);
}

const dateForm = /^(\d{4})-(\d\d)-\d\d$/;
const notADay = 'must be a day of the calendar, written YYYY-MM-DD, such as 2026-11-20';

/** The end of a sentence that says why a text is not a day to send; undefined where it is one. The rule for all that people type. */
export function dateProblem(text: string): string | undefined {
  if (isDate(text)) return otherCalendar(text);
  const [, year = '', month = ''] = dateForm.exec(text) ?? [];
  const name = monthNames[Number(month) - 1];
  if (name === undefined) return notADay;
  return `must be a day of the calendar: ${name} ${year} has ${daysIn(Number(year), Number(month))} days`;
}

/** Persian, Islamic and Thai years. */
function otherCalendar(day: string): string | undefined {
  const year = day.slice(0, 4);
  // Far years stand for what never ends, such as 9999.
  const isOther = (year >= '1300' && year < '1500') || (year >= '2440' && year < '2700');
  if (!isOther) return undefined;
  return `must be a day of the Gregorian calendar: the year ${year} is hardly one of it`;
}

/** In English, January first. */
export const monthNames = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December'],
];

/** Whether it is a moment written `YYYY-MM-DD HH:MM:SS`. */
export function isTimestamp(text: string): boolean {
  return (
    text.length === 19 &&
    isDayOf(text) &&
    text.charCodeAt(10) === signs.blank &&
    number(text, 11, 2) < 24 &&
    text.charCodeAt(13) === signs.colon &&
    number(text, 14, 2) < 60 &&
    text.charCodeAt(16) === signs.colon &&
    number(text, 17, 2) < 60
  );
}

const signs = { blank: 0x20, dash: 0x2d, zero: 0x30, colon: 0x3a } as const;

/** Character by character: every record of a list has several moments. */
function isDayOf(text: string): boolean {
  const [year, month, date] = [number(text, 0, 4), number(text, 5, 2), number(text, 8, 2)];
  const isDivided = text.charCodeAt(4) === signs.dash && text.charCodeAt(7) === signs.dash;
  return isDivided && year >= 0 && month >= 1 && month <= 12 && date >= 1 && date <= daysIn(year, month);
}

function daysIn(year: number, month: number): number {
  if (month !== 2) return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

/** The number that so many digits are; not a number where they aren’t all digits. */
function number(text: string, from: number, count: number): number {
  let value = 0;
  for (let at = from; at < from + count; at++) {
    const digit = text.charCodeAt(at) - signs.zero;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

/** `YYYY-MM-DD HH:MM:SS`, in UTC. */
export function formatTimestamp(moment: Date): string {
  return moment.toISOString().slice(0, 19).replace('T', ' ');
}

/**
 * A moment for a filter: the API's own forms, ISO 8601 with a zone, or how long ago (`90m`, `12h`, `7d`, `2w`).
 * Undefined where it is none of these, or outside the years that can be written with four digits.
 */
export function readMoment(text: string, now: Date): Date | undefined {
  const moment = momentOf(text, now);
  const year = moment?.getUTCFullYear() ?? Number.NaN;
  return year >= 0 && year <= 9999 ? moment : undefined;
}

function momentOf(text: string, now: Date): Date | undefined {
  if (isDate(text)) return new Date(`${text}T00:00:00Z`);
  if (isTimestamp(text)) return new Date(`${text.replace(' ', 'T')}Z`);
  const ago = agoForm.exec(text);
  if (ago) return new Date(now.getTime() - Number(ago[1]) * seconds[ago[2] as keyof typeof seconds] * 1000);
  // Date takes 30 February for 1 March: the day is held against the calendar first.
  return zonedForm.test(text) && isDate(text.slice(0, 10)) ? new Date(text) : undefined;
}
