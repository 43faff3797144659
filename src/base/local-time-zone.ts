/** Time zones: that of this machine, of which Node.js reads many values as UTC without a warning, and times in a zone. */
import { existsSync, realpathSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { usage } from './errors.ts';
import { didYouMean } from './suggest.ts';

/**
 * Returns the IANA name of the time zone of this machine, and lets `Date` use it. Throws `usage` if it is unknown, such as
 * for a TZ with a rule for daylight saving.
 */
export function localTimeZone(): string {
  const text = process.env.TZ;
  const name = text === undefined ? new Intl.DateTimeFormat('en').resolvedOptions().timeZone : nameIn(text);
  const zone = knownZone(name);
  if (zone === undefined) {
    throw usage(
      text === undefined
        ? 'The time zone of this machine is unknown.'
        : `TZ="${text}" isn't a known time zone.`,
      { hint: 'Set TZ to a name such as Asia/Riyadh. For change sets: --timezone Asia/Riyadh' },
    );
  }
  if (text !== undefined) process.env.TZ = zone;
  return zone;
}

/** Returns the IANA name of a time zone; the zone of this machine by default. Throws `usage` for an unknown name. */
export function parseTimeZone(text: string | undefined): string {
  if (text === undefined) return localTimeZone();
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    const suggestion = didYouMean(text, Intl.supportedValuesOf('timeZone'));
    throw usage(`Unknown time zone "${text}".${suggestion}`, {
      hint: 'Write it like Asia/Riyadh, Europe/Berlin or UTC.',
      cause,
    });
  }
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns the local time in the zone: `YYYY-MM-DD HH:MM:SS`. */
export function formatLocalTime(timeMs: number, zone: string): string {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
  formats.set(zone, format);
  return format.format(timeMs);
}

/** Converts a time of the API, `YYYY-MM-DD HH:MM:SS` in UTC, or of ISO 8601 to the local time in the zone. Other text is unchanged. */
export function timeInZone(utc: string, zone: string): string {
  if (zone === 'UTC') return utc;
  const timeMs = Date.parse(/Z$/.test(utc) ? utc : `${utc.replace(' ', 'T')}Z`);
  return Number.isNaN(timeMs) ? utc : formatLocalTime(timeMs, zone);
}

/** Returns the canonical name of a time zone; undefined if it is unknown. */
function knownZone(name: string): string | undefined {
  try {
    return /^[a-z]/i.test(name)
      ? new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
      : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the name in a TZ: a name, the path of a zone file, or POSIX such as `AST-3`. Empty means UTC. */
function nameIn(text: string): string {
  const value = text.replace(/^:/, '');
  const path = isAbsolute(value) && existsSync(value) ? realpathSync(value) : value;
  const name = path.replace(/^(.*\/zoneinfo\/)?(posix\/)?/, '');
  const [, sign, hours] = /^(?:[a-z]{3,}|<[\w+-]{3,}>)([+-]?)(\d{1,2})(?::?00)*$/i.exec(name) ?? [];
  // The sign of POSIX is reversed, like that of these names: 3 hours ahead of UTC are -3.
  if (hours !== undefined && Number(hours) !== 0) return `Etc/GMT${sign || '+'}${Number(hours)}`;
  return hours !== undefined || name === '' ? 'UTC' : name;
}
