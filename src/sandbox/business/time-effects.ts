/**
 * Applies changes that are due at a time: earned amounts become rewards, and business days end. The period until the next
 * change is computed once, so that a request doesn't need a query for it.
 */
import type { Database } from '../../base/storage/database.ts';
import { dayMs, formatDay, formatTimestamp, parseTimestamp } from '../calendar.ts';
import type { Context } from '../context.ts';
import { isObject, isString, readStoredValue, writeStoredValue } from '../store/rows.ts';
import type { Tables } from '../store/tables.ts';
import { hasEvent, notify } from './events.ts';
import { giveRewards, nextRewardTime } from './orders.ts';

/** The time up to which these changes have been applied. */
export interface TimeProgress {
  /** The time up to which earned amounts have been checked. */
  rewardsUntil: string;
  /** The current business day. */
  day: string;
}

const storedName = 'progress';

/** The period in which no change is due, in milliseconds since 1970. */
export interface QuietPeriod {
  from: number;
  until: number;
}

/** Returns the period in which no change is due. It has a start too, because the clock can be set back. */
export function quietPeriodOf(database: Database, tables: Tables): QuietPeriod {
  const { rewardsUntil, day } = readProgress(database);
  const dayStart = parseTimestamp(day);
  const nextReward = tables.has('loyalty_transactions') ? nextRewardTime(database, rewardsUntil) : undefined;
  return {
    from: rewardsUntil === '' ? dayStart : Math.max(dayStart, parseTimestamp(rewardsUntil)),
    until: Math.min(
      dayStart + dayMs,
      nextReward === undefined ? Number.POSITIVE_INFINITY : parseTimestamp(nextReward),
    ),
  };
}

/** Returns whether changes are due. Returns true if the period is unknown (NaN). */
export function areChangesDue({ from, until }: QuietPeriod, now: number): boolean {
  return !(now >= from && now < until);
}

export function applyDueChanges(context: Context): void {
  const { database, tables, now } = context;
  database.write(() => {
    const { rewardsUntil, day } = readProgress(database);
    if (tables.has('loyalty_transactions', 'loyalty_rewards')) giveRewards(context, rewardsUntil);
    if (day !== '' && day < formatDay(now) && tables.has('branches', 'users')) endBusinessDay(context, day);
    storeProgress(database, { rewardsUntil: formatTimestamp(now), day: formatDay(now) });
  });
}

/** Resets the progress of rewards, so that all earned amounts are checked again. Needed after the settings change. */
export function recheckRewards(database: Database): void {
  database.write(() => storeProgress(database, { ...readProgress(database), rewardsUntil: '' }));
}

/** Ends a business day once for each branch, even if the clock was set back and passes midnight again. */
function endBusinessDay(context: Context, day: string): void {
  const subject = { resource: 'business_dates', id: day };
  for (const { id } of context.database.all('SELECT id FROM branches ORDER BY seq')) {
    const type = 'inventory_business_date_ended';
    if (!hasEvent(context.database, type, String(id), subject)) notify(context, type, String(id), subject);
  }
}

/** Returns the stored progress. The integrity check also calls it. */
export function readProgress(database: Database): TimeProgress {
  return readStoredValue(database, storedName, isProgress) ?? { rewardsUntil: '', day: '' };
}

function isProgress(value: unknown): value is TimeProgress {
  return isObject(value) && isString(value.rewardsUntil) && isString(value.day);
}

function storeProgress(database: Database, progress: TimeProgress): void {
  writeStoredValue(database, storedName, progress);
}
