/**
 * Determines when the reading of a list started by the service's clock: the next reading requests the changes since then.
 */
import { hash } from 'node:crypto';
import { formatTimestamp, isTimestamp, parseFilterTime } from '../../api/contract/date-time.ts';
import { usage } from '../../base/errors.ts';
import type { Row } from './row.ts';

/**
 * How much readings overlap, in milliseconds: the filter excludes the given second, and changes in that second may have
 * become visible later.
 */
const overlapMs = 60_000;

/** Determines times from responses. All are `YYYY-MM-DD HH:MM:SS` in UTC. */
export interface ReadingClock {
  /** Call this for each response with its `Date` header and its records. */
  observe(date: string | undefined, records: readonly Row[]): void;
  /** Returns when the first response was sent, by the service's clock; undefined if it has no `Date` header. */
  serviceTime(): string | undefined;
  /** Returns when the reading started; undefined if that is unknown. */
  startedAt(): string | undefined;
  /** Returns whether a record has changed since then. */
  hasChanged(): boolean;
  /** Returns a checksum of the changed records: it is equal if the next reading returns exactly the same ones. */
  changesChecksum(): number;
}

/**
 * The maximum time that the service's clock may be behind a stored time, in milliseconds. Clock corrections are smaller.
 */
const maxBehindMs = 3_600_000;

/**
 * Starts the clock of a reading. `since` is the time from which changes are requested: if the service's clock hasn't
 * reached it, `observe` throws a usage failure, because every change until then would be missed.
 */
export function startReadingClock(since?: string): ReadingClock {
  const [monotonicStart, wallStart] = [performance.now(), Date.now()];
  let newestUpdate = '';
  let serviceTime: string | undefined;
  let hasObserved = false;
  let checksum = 0;
  return {
    observe(date, records) {
      if (!hasObserved) serviceTime = timestampOf(date);
      if (!hasObserved && since !== undefined && serviceTime !== undefined) checkClock(since, serviceTime);
      hasObserved = true;
      for (const { id, updated_at } of records) {
        if (typeof updated_at !== 'string' || !isTimestamp(updated_at)) continue;
        if (updated_at > newestUpdate) newestUpdate = updated_at;
        if (serviceTime !== undefined && updated_at >= serviceTime)
          checksum = (checksum + checksumOf(`${id} ${updated_at}`)) % checksumModulus;
      }
    },
    serviceTime: () => serviceTime,
    startedAt() {
      if (serviceTime !== undefined) return serviceTime;
      const moment = newestUpdate === '' ? undefined : parseFilterTime(newestUpdate, new Date());
      if (!moment) return undefined;
      // Includes sleep of the machine, which one of the clocks may not count. Records dated in the future are ignored.
      const elapsedMs = Math.max(performance.now() - monotonicStart, Date.now() - wallStart);
      return formatTimestamp(new Date(Math.min(moment.getTime(), Date.now()) - Math.ceil(elapsedMs)));
    },
    hasChanged() {
      const start = this.startedAt();
      return start !== undefined && newestUpdate >= start;
    },
    changesChecksum: () => checksum,
  };
}

const checksumModulus = 2 ** 48;

function checksumOf(text: string): number {
  return Number.parseInt(hash('sha1', text).slice(0, 12), 16);
}

/** Returns the time to filter by, so that no change since the start of a reading is missed. */
export function filterTime(since: string): string {
  const moment = parseFilterTime(since, new Date());
  return moment ? formatTimestamp(new Date(moment.getTime() - overlapMs)) : since;
}

function timestampOf(date: string | undefined): string | undefined {
  const ms = date === undefined ? Number.NaN : Date.parse(date);
  return Number.isNaN(ms) ? undefined : formatTimestamp(new Date(ms));
}

function checkClock(since: string, serviceTime: string): void {
  const [sinceMs, nowMs] = [since, serviceTime].map(
    (timestamp) => parseFilterTime(timestamp, new Date())?.getTime() ?? 0,
  );
  if ((sinceMs ?? 0) <= (nowMs ?? 0) + maxBehindMs) return;
  throw usage(
    `The service's clock was set back: the last run read changes until ${since}, but the service's time is now ${serviceTime}. Changes could be missed.`,
    { hint: 'To read everything once, delete the file that --since names, or omit --since-last.' },
  );
}
