/**
 * Determines when the reading of a list started by the service's clock: the next reading requests the changes since then.
 */
import { hash } from 'node:crypto';
import { usage } from '../base/errors.ts';
import { formatTimestamp, isTimestamp, parseFilterTime } from '../contract/moment.ts';
import type { Row } from './row.ts';

/**
 * How much readings overlap, in milliseconds: the filter excludes the given second, and changes in that second may have
 * become visible later.
 */
const overlapMs = 60_000;

/** Determines times from answers. All are `YYYY-MM-DD HH:MM:SS` in UTC. */
export interface ReadingClock {
  /** Call this for each answer with its `Date` header and its records. */
  observe(date: string | undefined, records: readonly Row[]): void;
  /** Returns when the first answer was sent by the service's clock; undefined if it has no `Date` header. */
  serviceTime(): string | undefined;
  /** Returns when the reading started; undefined if that is unknown. */
  startedAt(): string | undefined;
  /** Returns whether a record has changed since then. */
  hasChanged(): boolean;
  /** Returns a checksum of the changed records: it is equal if the next reading shows exactly the same ones. */
  changesChecksum(): number;
}

/**
 * How far the service's clock may be behind a stored time, in milliseconds. Clock corrections are smaller.
 */
const maxBehindMs = 3_600_000;

/**
 * Starts the clock of a reading. `since` is the time from which changes are requested: if the service's clock hasn't
 * reached it, `see` throws a usage failure, because every change until then would be missed.
 */
export function startReadingClock(since?: string): ReadingClock {
  const [monotonicStart, wallStart] = [performance.now(), Date.now()];
  let newest = '';
  let dated: string | undefined;
  let hasObserved = false;
  let sum = 0;
  return {
    observe(date, records) {
      if (!hasObserved) dated = timestampOf(date);
      if (!hasObserved && since !== undefined && dated !== undefined) checkClock(since, dated);
      hasObserved = true;
      for (const { id, updated_at } of records) {
        if (typeof updated_at !== 'string' || !isTimestamp(updated_at)) continue;
        if (updated_at > newest) newest = updated_at;
        if (dated !== undefined && updated_at >= dated)
          sum = (sum + checksumOf(`${id} ${updated_at}`)) % maxSum;
      }
    },
    serviceTime: () => dated,
    startedAt() {
      if (dated !== undefined) return dated;
      const moment = newest === '' ? undefined : parseFilterTime(newest, new Date());
      if (!moment) return undefined;
      // Includes sleep of the machine, which one of the clocks may not count. Records dated in the future are ignored.
      const tookMs = Math.max(performance.now() - monotonicStart, Date.now() - wallStart);
      return formatTimestamp(new Date(Math.min(moment.getTime(), Date.now()) - Math.ceil(tookMs)));
    },
    hasChanged() {
      const at = this.startedAt();
      return at !== undefined && newest >= at;
    },
    changesChecksum: () => sum,
  };
}

const maxSum = 2 ** 48;

function checksumOf(text: string): number {
  return Number.parseInt(hash('sha1', text).slice(0, 12), 16);
}

/** Returns the time to filter by, so that no change since the start of a reading is missed. */
export function filterTime(since: string): string {
  const moment = parseFilterTime(since, new Date());
  return moment ? formatTimestamp(new Date(moment.getTime() - overlapMs)) : since;
}

function timestampOf(date: string | undefined): string | undefined {
  const moment = date === undefined ? Number.NaN : Date.parse(date);
  return Number.isNaN(moment) ? undefined : formatTimestamp(new Date(moment));
}

function checkClock(since: string, dated: string): void {
  const [sinceMs, now] = [since, dated].map((moment) => parseFilterTime(moment, new Date())?.getTime() ?? 0);
  if ((sinceMs ?? 0) <= (now ?? 0) + maxBehindMs) return;
  throw usage(
    `The clock of the service went back: the last run read changes until ${since}, and it now shows ${dated}. Changes could be missed.`,
    { hint: 'To read everything once, delete the file that --since names, or omit --since-last.' },
  );
}
