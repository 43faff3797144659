/**
 * Determines when a reading of a list began by the service's clock: the next reading requests the changes since then.
 */
import { hash } from 'node:crypto';
import { usage } from '../base/errors.ts';
import { formatTimestamp, isTimestamp, readMoment } from '../contract/moment.ts';
import type { Row } from './row.ts';

/**
 * How far before the previous reading changes are requested again, in milliseconds: the filter excludes its own
 * second, and a change in that second may have become visible later.
 */
const overlapMs = 60_000;

/** Determines times from answers. All are `YYYY-MM-DD HH:MM:SS` in UTC. */
export interface ReadingClock {
  /** Call it for each answer, with its `Date` header and its records. */
  see(date: string | undefined, records: readonly Row[]): void;
  /** When the first answer was sent, by the service's clock; undefined if it didn't say. */
  dated(): string | undefined;
  /** When the reading began; undefined if it is unknown. */
  at(): string | undefined;
  /** Whether a record has changed since then. */
  hasChanged(): boolean;
  /** A checksum of the changed records: it is the same if the next reading shows exactly these. */
  changed(): number;
}

/**
 * How far the service's clock may be behind a stored time, in milliseconds. A larger difference isn't a clock
 * correction.
 */
const maxBehindMs = 3_600_000;

/**
 * Starts the clock of a reading. `since` is the time from which changes are requested: if the service's clock hasn't
 * reached it, `see` throws a usage failure, because every change until then would be missed.
 */
export function readingClock(since?: string): ReadingClock {
  const [steadyBegan, wallBegan] = [performance.now(), Date.now()];
  let newest = '';
  let dated: string | undefined;
  let isSeen = false;
  let sum = 0;
  return {
    see(date, records) {
      if (!isSeen) dated = momentOf(date);
      if (!isSeen && since !== undefined && dated !== undefined) demandPast(since, dated);
      isSeen = true;
      for (const { id, updated_at } of records) {
        if (typeof updated_at !== 'string' || !isTimestamp(updated_at)) continue;
        if (updated_at > newest) newest = updated_at;
        if (dated !== undefined && updated_at >= dated)
          sum = (sum + numberFor(`${id} ${updated_at}`)) % maxSum;
      }
    },
    dated: () => dated,
    at() {
      if (dated !== undefined) return dated;
      const moment = newest === '' ? undefined : readMoment(newest, new Date());
      if (!moment) return undefined;
      // Time that the machine slept counts, too: not every clock shows it. A record dated in the future is none that was seen.
      const tookMs = Math.max(performance.now() - steadyBegan, Date.now() - wallBegan);
      return formatTimestamp(new Date(Math.min(moment.getTime(), Date.now()) - Math.ceil(tookMs)));
    },
    hasChanged() {
      const at = this.at();
      return at !== undefined && newest >= at;
    },
    changed: () => sum,
  };
}

const maxSum = 2 ** 48;

function numberFor(text: string): number {
  return Number.parseInt(hash('sha1', text).slice(0, 12), 16);
}

/** Returns the time to filter by, so that no change since the start of a reading is missed. */
export function queriedSince(since: string): string {
  const moment = readMoment(since, new Date());
  return moment ? formatTimestamp(new Date(moment.getTime() - overlapMs)) : since;
}

function momentOf(date: string | undefined): string | undefined {
  const moment = date === undefined ? Number.NaN : Date.parse(date);
  return Number.isNaN(moment) ? undefined : formatTimestamp(new Date(moment));
}

function demandPast(since: string, dated: string): void {
  const [kept, now] = [since, dated].map((moment) => readMoment(moment, new Date())?.getTime() ?? 0);
  if ((kept ?? 0) <= (now ?? 0) + maxBehindMs) return;
  throw usage(
    `The clock of the service went back: the last run read changes until ${since}, and it now shows ${dated}. Changes could be missed.`,
    { hint: 'To read everything once, delete the file that --since names, or omit --since-last.' },
  );
}
