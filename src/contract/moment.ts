/** Dates and timestamps as the API writes them, read from what people type. Always UTC. */

const dateForm = /^(\d{4})-(\d{2})-(\d{2})$/;
const timestampForm = /^(\d{4}-\d{2}-\d{2}) ([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/;
const zonedForm = /^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/;
const agoForm = /^(\d{1,6})([mhdw])$/;

const seconds = { m: 60, h: 3600, d: 86_400, w: 604_800 } as const;

/** Whether it is a day of the calendar, written `YYYY-MM-DD`: 2024-02-30 is not. */
export function isDate(text: string): boolean {
  const parts = dateForm.exec(text);
  if (!parts) return false;
  const [month, date] = [Number(parts[2]), Number(parts[3])];
  if (month >= 1 && month <= 12 && date >= 1 && date <= 28) return true;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

/** Whether it is a moment written `YYYY-MM-DD HH:MM:SS`. */
export function isTimestamp(text: string): boolean {
  const parts = timestampForm.exec(text);
  return parts !== null && isDate(parts[1] ?? '');
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
