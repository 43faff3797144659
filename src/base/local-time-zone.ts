/** Determines the time zone of this machine: Node.js reads many values of TZ as UTC without a warning. */
import { existsSync, realpathSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { usage } from './errors.ts';

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
