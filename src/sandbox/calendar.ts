/** Days and moments as the API writes them, in UTC. */

const dayForm = /^\d{4}-\d{2}-\d{2}$/;
const momentForm = /^(\d{4}-\d{2}-\d{2}) ([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/;

export const hourLength = 3_600_000;
export const dayLength = 24 * hourLength;

/** `YYYY-MM-DD`, and a day that the calendar has. */
export function isDay(text: string): boolean {
  const [year = 0, month = 0, day = 0] = dayForm.test(text) ? text.split('-').map(Number) : [];
  return month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** `YYYY-MM-DD HH:MM:SS`. */
export function isMoment(text: string): boolean {
  return isDay(momentForm.exec(text)?.[1] ?? '');
}

export function writeMoment(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ');
}

export function writeDay(milliseconds: number): string {
  return writeMoment(milliseconds).slice(0, 10);
}

/** Milliseconds since 1970 of a moment, or of a day's first moment. */
export function readMoment(text: string): number {
  return Date.parse(`${text.replace(' ', 'T')}${text.length === 10 ? 'T00:00:00' : ''}Z`);
}

/** Whether a sandbox's business can be at this moment: a number that any of its timestamps can be reckoned from. */
export function isInReach(milliseconds: number): boolean {
  return milliseconds >= Date.UTC(2000) && milliseconds < Date.UTC(2100);
}

/** As the headers of answers have it: what records are dated by is what readers of lists go by. */
export function dateOf(milliseconds: number): string {
  const second = Math.floor(milliseconds / 1000);
  if (second !== written.second) written = { second, date: new Date(milliseconds).toUTCString() };
  return written.date;
}

/** The last one: answers come many to a second. */
let written = { second: Number.NaN, date: '' };
