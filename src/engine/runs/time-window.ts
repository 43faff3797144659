/** Parses the time window in which a run may send, by the clock of this machine. */

import { usage } from '../../base/errors.ts';
import { localTimeZone } from '../../base/local-time-zone.ts';

/** A time window in minutes since midnight. If `to` is less than `from`, the window ends on the next day. */
export interface TimeWindow {
  from: number;
  to: number;
}

/** Parses a time window such as `23:00-06:00`. Throws a usage failure if it isn't one, or if the time zone is unknown. */
export function parseTimeWindow(text: string): TimeWindow {
  localTimeZone();
  const [, fromHour, fromMinute, toHour, toMinute] =
    /^([01]?\d|2[0-3]):([0-5]\d)\s*[-–]\s*([01]?\d|2[0-4]):([0-5]\d)$/.exec(text.trim()) ?? [];
  const from = Number(fromHour) * 60 + Number(fromMinute);
  const to = Number(toHour) * 60 + Number(toMinute);
  if (!Number.isNaN(from) && to <= 1440 && from !== to) return { from, to };
  throw usage('--between must be two times of day, such as 23:00-06:00.');
}

/** Returns the milliseconds until the window begins; 0 within it. */
export function msUntilWindow({ from, to }: TimeWindow, now: Date): number {
  const minute = now.getHours() * 60 + now.getMinutes();
  const isOpen = from < to ? minute >= from && minute < to : minute >= from || minute < to;
  if (isOpen) return 0;
  const nextStart = new Date(now);
  nextStart.setHours(Math.floor(from / 60), from % 60, 0, 0);
  if (nextStart <= now) nextStart.setDate(nextStart.getDate() + 1);
  return nextStart.getTime() - now.getTime();
}
