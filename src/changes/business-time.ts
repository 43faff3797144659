/** Business time: reads a date or time in a time zone, with daylight saving, and shows it in that zone and in UTC. */
import { usage } from '../base/errors.ts';
import { didYouMean } from '../base/suggest.ts';
import { dateProblem, formatTimestamp, isTimestamp, parseFilterTime } from '../contract/moment.ts';

const dayMs = 86_400_000;

const localForm = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d)(:\d\d)?)?$/;
const zonedForm = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?) ?(Z|[+-]\d\d:?\d\d)$/;

/** Returns the IANA name of a time zone; the zone of this machine by default. Throws `usage` for an unknown name. */
export function readZone(text: string | undefined): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    const suggestion = didYouMean(text ?? '', Intl.supportedValuesOf('timeZone'));
    throw usage(`Unknown time zone "${text}".${suggestion}`, {
      hint: 'Write it like Asia/Riyadh, Europe/Berlin or UTC.',
      cause,
    });
  }
}

/**
 * Reads a day (its start), a local time, or a time with its offset from UTC. Returns milliseconds since 1970.
 * Throws `usage` for a local time that clock changes skip or repeat: a guess could be an hour wrong.
 */
export function readBusinessTime(text: string, zone: string, flag: string): number {
  const [, zonedDay = '', time = '', offset = ''] = zonedForm.exec(text) ?? [];
  const zoned = zonedDay === '' ? undefined : parseFilterTime(`${zonedDay}T${time}${offset}`, new Date(0));
  if (zoned) return zoned.getTime();
  const [, day = '', minute, second = ':00'] = localForm.exec(text) ?? [];
  const local = `${day} ${minute ?? '00:00'}${second}`;
  if (!isTimestamp(local) || dateProblem(day) !== undefined) throw notATime(text, day, flag);
  const wall = Date.parse(`${local.replace(' ', 'T')}Z`);
  const [first, ...others] = timesShowing(wall, zone);
  if (first !== undefined && (others.length === 0 || minute === undefined)) return first;
  const before = wall - offsetAt(wall - dayMs, zone);
  if (first === undefined && minute === undefined) return before;
  const choices = [...new Set(first === undefined ? [before] : [first, ...others])].map((at) =>
    withOffset(at, zone),
  );
  throw usage(
    first === undefined
      ? `${flag}: ${text} doesn't exist in ${zone}, because clocks go forward.`
      : `${flag}: ${text} exists twice in ${zone}, because clocks go back.`,
    { hint: `Write ${choices.map((choice) => `"${choice}"`).join(' or ')}.` },
  );
}

function notATime(text: string, day: string, flag: string) {
  const problem = day === '' ? undefined : dateProblem(day);
  return usage(
    `${flag}: ${text} isn't a date or time${problem === undefined ? '' : `: the day ${problem}`}.`,
    {
      hint: 'Write it like "2027-02-08 04:00", 2027-02-08, or 2027-02-08T04:00+03:00.',
    },
  );
}

/** Returns the times at which clocks of the zone show `wall`, a local time as if it were UTC. Clock changes skip or repeat some. */
function timesShowing(wall: number, zone: string): number[] {
  const offsets = new Set([wall - dayMs, wall + dayMs].map((at) => offsetAt(at, zone)));
  const times = [...offsets].map((offset) => wall - offset);
  return times.filter((at) => at + offsetAt(at, zone) === wall).sort((a, b) => a - b);
}

/** Returns how far clocks of the zone are ahead of UTC, in milliseconds. */
function offsetAt(at: number, zone: string): number {
  return Date.parse(`${localTime(at, zone).replace(' ', 'T')}Z`) - Math.floor(at / 1000) * 1000;
}

/** Returns the local time in the zone: `YYYY-MM-DD HH:MM:SS`. */
function localTime(at: number, zone: string): string {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  return format.format(at);
}

function withOffset(at: number, zone: string): string {
  const minutes = offsetAt(at, zone) / 60_000;
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const padded = (value: number) => String(value).padStart(2, '0');
  return `${localTime(at, zone).slice(0, 16)}${minutes < 0 ? '-' : '+'}${padded(hours)}:${padded(rest)}`;
}

/** Returns a time for people: `2027-02-08 04:00 Asia/Riyadh (2027-02-08 01:00 UTC)`. */
export function businessTime(at: number, zone: string): string {
  const short = (text: string) => text.replace(/:00$/, '');
  const utc = short(formatTimestamp(new Date(at)));
  return zone === 'UTC' ? `${utc} UTC` : `${short(localTime(at, zone))} ${zone} (${utc} UTC)`;
}
