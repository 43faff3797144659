/** Business time: parses a date or time in a time zone, with daylight saving, and formats it in that zone and in UTC. */

import { dateProblem, formatTimestamp, isTimestamp, parseFilterTime } from '../../api/contract/date-time.ts';
import { usage } from '../../base/errors.ts';
import { formatLocalTime } from '../../base/local-time-zone.ts';

const dayMs = 86_400_000;

const localPattern = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d)(:\d\d)?)?$/;
const zonedPattern = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?) ?(Z|[+-]\d\d:?\d\d)$/;

/**
 * Parses a day (its start), a local time, or a time with its offset from UTC. Returns milliseconds since 1970.
 * Throws `usage` for a local time that clock changes skip or repeat: a guess could be an hour wrong.
 */
export function parseBusinessTime(text: string, zone: string, flag: string): number {
  const [, zonedDay = '', time = '', offset = ''] = zonedPattern.exec(text) ?? [];
  const zonedTime =
    zonedDay === '' ? undefined : parseFilterTime(`${zonedDay}T${time}${offset}`, new Date(0));
  const [, day = '', hoursAndMinutes, seconds = ':00'] = localPattern.exec(text) ?? [];
  const local = `${day} ${hoursAndMinutes ?? '00:00'}${seconds}`;
  if (!zonedTime && (!isTimestamp(local) || dateProblem(day) !== undefined))
    throw invalidTime(text, day, flag);
  // Later years may have five digits in other zones, and earlier ones have offsets of seconds.
  if (text < '1970' || text >= '9999')
    throw usage(`${flag}: the year of ${text} must be between 1970 and 9998.`);
  if (zonedTime) return zonedTime.getTime();
  const wallClockMs = Date.parse(`${local.replace(' ', 'T')}Z`);
  const [first, ...otherTimes] = instantsOfLocalTime(wallClockMs, zone);
  if (first !== undefined && (otherTimes.length === 0 || hoursAndMinutes === undefined)) return first;
  const timeBeforeChange = wallClockMs - offsetMsAt(wallClockMs - dayMs, zone);
  if (first === undefined && hoursAndMinutes === undefined) return timeBeforeChange;
  const alternatives = [...new Set(first === undefined ? [timeBeforeChange] : [first, ...otherTimes])].map(
    (timeMs) => formatWithOffset(timeMs, zone),
  );
  throw usage(
    first === undefined
      ? `${flag}: ${text} doesn't exist in ${zone}, because clocks go forward.`
      : `${flag}: ${text} exists twice in ${zone}, because clocks go back.`,
    { hint: `Write ${alternatives.map((alternative) => `"${alternative}"`).join(' or ')}.` },
  );
}

function invalidTime(text: string, day: string, flag: string) {
  const problem = day === '' ? undefined : dateProblem(day);
  return usage(
    `${flag}: ${text} isn't a date or time${problem === undefined ? '' : `: the day ${problem}`}.`,
    {
      hint: 'Write it like "2027-02-08 04:00", 2027-02-08, or 2027-02-08T04:00+03:00.',
    },
  );
}

/**
 * Returns the instants with a local time in the zone, in milliseconds since 1970: none or two around clock changes. The
 * local time is given as if it were UTC.
 */
function instantsOfLocalTime(wallClockMs: number, zone: string): number[] {
  const offsets = new Set(
    [wallClockMs - dayMs, wallClockMs + dayMs].map((timeMs) => offsetMsAt(timeMs, zone)),
  );
  const times = [...offsets].map((offset) => wallClockMs - offset);
  return times.filter((timeMs) => timeMs + offsetMsAt(timeMs, zone) === wallClockMs).sort((a, b) => a - b);
}

/** Returns the offset of the zone from UTC at an instant, in milliseconds. */
function offsetMsAt(timeMs: number, zone: string): number {
  return Date.parse(`${formatLocalTime(timeMs, zone).replace(' ', 'T')}Z`) - Math.floor(timeMs / 1000) * 1000;
}

function formatWithOffset(timeMs: number, zone: string): string {
  const minutes = offsetMsAt(timeMs, zone) / 60_000;
  const [hours, remainingMinutes] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const twoDigits = (value: number) => String(value).padStart(2, '0');
  return `${formatLocalTime(timeMs, zone).slice(0, 16)}${minutes < 0 ? '-' : '+'}${twoDigits(hours)}:${twoDigits(remainingMinutes)}`;
}

/** Formats an instant in its zone and in UTC: `2027-02-08 04:00 Asia/Riyadh (2027-02-08 01:00 UTC)`. */
export function formatBusinessTime(timeMs: number, zone: string): string {
  const omitZeroSeconds = (text: string) => text.replace(/:00$/, '');
  const utc = omitZeroSeconds(formatTimestamp(new Date(timeMs)));
  return zone === 'UTC'
    ? `${utc} UTC`
    : `${omitZeroSeconds(formatLocalTime(timeMs, zone))} ${zone} (${utc} UTC)`;
}
