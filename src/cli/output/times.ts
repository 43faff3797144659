/** Shows times to people: on a terminal in the time zone of the business, elsewhere in UTC. */

import { Failure } from '../../base/errors.ts';
import { localTimeZone, timeInZone } from '../../base/local-time-zone.ts';
import type { Context } from '../context/context.ts';

/** Returns the time zone of the setting, else of this machine; UTC without a terminal, and if the zone is unknown. */
export async function shownTimeZone(
  { streams, settings }: Pick<Context, 'streams' | 'settings'>,
  stream: 'out' | 'err' = 'out',
): Promise<string> {
  if (!streams.isTerminal[stream]) return 'UTC';
  const configured = (await settings().catch(() => undefined))?.timeZone;
  if (configured !== undefined) return configured;
  try {
    return localTimeZone();
  } catch (error) {
    if (error instanceof Failure) return 'UTC';
    throw error;
  }
}

/** Returns the time with its zone, for messages: `2026-11-20 11:30:00 (Asia/Riyadh)`. */
export async function shownTime(context: Context, utc: string): Promise<string> {
  const zone = await shownTimeZone(context, 'err');
  return `${timeInZone(utc, zone)} (${zone})`;
}
