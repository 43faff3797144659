/** Parses and formats days and timestamps in the API's format, in UTC. */

const dayPattern = /^\d{4}-\d{2}-\d{2}$/;
const timestampPattern = /^(\d{4}-\d{2}-\d{2}) ([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/;

/** One hour in milliseconds. */
export const hourMs = 3_600_000;
/** One day in milliseconds. */
export const dayMs = 24 * hourMs;

/** Returns whether the text is a valid date in the format `YYYY-MM-DD`. */
export function isDay(text: string): boolean {
  const [year = 0, month = 0, day = 0] = dayPattern.test(text) ? text.split('-').map(Number) : [];
  return month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** Returns whether the text is a valid timestamp in the format `YYYY-MM-DD HH:MM:SS`. */
export function isTimestamp(text: string): boolean {
  return isDay(timestampPattern.exec(text)?.[1] ?? '');
}

/** Returns a time as `YYYY-MM-DD HH:MM:SS`. */
export function formatTimestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ');
}

/** Returns the day of a time as `YYYY-MM-DD`. */
export function formatDay(milliseconds: number): string {
  return formatTimestamp(milliseconds).slice(0, 10);
}

/** Returns the time of a timestamp, or of the start of a day, in milliseconds since 1970. */
export function parseTimestamp(text: string): number {
  return Date.parse(`${text.replace(' ', 'T')}${text.length === 10 ? 'T00:00:00' : ''}Z`);
}

/** Returns whether the sandbox's clock supports this time: from 2000 to 2099, so that timestamps stay valid. */
export function isSupportedTime(milliseconds: number): boolean {
  return milliseconds >= Date.UTC(2000) && milliseconds < Date.UTC(2100);
}

/**
 * Returns the time in the format of HTTP's Date header. Clients that read lists use this header, so it follows the
 * sandbox's clock.
 */
export function httpDate(milliseconds: number): string {
  const second = Math.floor(milliseconds / 1000);
  if (second !== lastDate.second) lastDate = { second, date: new Date(milliseconds).toUTCString() };
  return lastDate.date;
}

/** The last result, cached because many responses are sent in one second. */
let lastDate = { second: Number.NaN, date: '' };
