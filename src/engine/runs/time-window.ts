/** Delays a run until the time window in which it may send, by the clock of this machine. */

import { usage } from '../../base/errors.ts';
import { localTimeZone } from '../../base/local-time-zone.ts';
import type { ExecutionOptions } from './run-state.ts';
import { sleep } from './sleep.ts';

/** A time window in minutes since midnight. If `to` is less than `from`, the window ends on the next day. */
interface TimeWindow {
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

/** The maximum time until a wait checks the clock again: timers stop while the machine sleeps. */
const maxTimerMs = 60_000;

/** The clock of a waiting run, and the functions with which it releases its locks: other runs don't wait for hours. */
interface WaitingRun {
  now(): Date;
  onWait(message: string): void;
  unlock(): void;
  lock(): Promise<void>;
}

/** Returns a gate that delays requests until the hours of `--between`. Throws a usage failure if `between` isn't two times of day. */
export function createHoursGate(
  between: string,
  { now, onWait, unlock, lock }: WaitingRun,
): NonNullable<ExecutionOptions['gate']> {
  const hours = parseTimeWindow(between);
  return async (signal, idle) => {
    const waitMs = msUntilWindow(hours, now());
    if (waitMs === 0) return false;
    const startTime = new Date(now().getTime() + waitMs).toLocaleString('sv-SE').slice(0, 16);
    onWait(
      `Waiting until ${startTime}: --between ${between}. Records that change in the meantime won't be updated.`,
    );
    await idle();
    unlock();
    for (let ms = waitMs; ms > 0 && !signal.aborted; ms = msUntilWindow(hours, now()))
      await sleep(Math.min(ms, maxTimerMs), signal);
    try {
      await lock();
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    return true;
  };
}
