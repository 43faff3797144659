/**
 * Changes that happen because time passes: earned amounts become rewards, and business days end. When the next one is
 * due is known without a query.
 */
import type { Database } from '../../storage/database.ts';
import { dayMs, readMoment, writeDay, writeMoment } from '../calendar.ts';
import type { Context } from '../context.ts';
import { isObject, isText, readFact, writeFact } from '../store/facts.ts';
import { notify, wasNotified } from './events.ts';
import { giveRewards, nextRewardTime } from './loyalty.ts';

/** How far these changes have been applied. */
export interface Progress {
  /** The time up to which earned amounts have been checked. */
  rewardsUntil: string;
  /** The business day that has begun. */
  day: string;
}

const factName = 'progress';

/** The period in which nothing is due, in milliseconds since 1970. */
export interface QuietPeriod {
  from: number;
  until: number;
}

/** Returns the period in which nothing is due. If the clock is set back, times come again. */
export function quietPeriodOf({ database, tables }: Pick<Context, 'database' | 'tables'>): QuietPeriod {
  const { rewardsUntil, day } = progressOf(database);
  const begins = readMoment(day);
  const ripe = tables.has('loyalty_transactions') ? nextRewardTime(database, rewardsUntil) : undefined;
  return {
    from: rewardsUntil === '' ? begins : Math.max(begins, readMoment(rewardsUntil)),
    until: Math.min(begins + dayMs, ripe === undefined ? Number.POSITIVE_INFINITY : readMoment(ripe)),
  };
}

/** Returns whether changes are due. They are if it isn't known what has been applied. */
export function isDue({ from, until }: QuietPeriod, now: number): boolean {
  return !(now >= from && now < until);
}

/** Applies all changes that are due. */
export function catchUp(context: Context): void {
  const { database, tables, now } = context;
  database.write(() => {
    const { rewardsUntil, day } = progressOf(database);
    if (tables.has('loyalty_transactions', 'loyalty_rewards')) giveRewards(context, rewardsUntil);
    if (day !== '' && day < writeDay(now) && tables.has('branches', 'users')) endBusinessDay(context, day);
    keep(database, { rewardsUntil: writeMoment(now), day: writeDay(now) });
  });
}

/** Makes all earned amounts be checked again, as after a change of the settings. */
export function recheckRewards(database: Database): void {
  database.write(() => keep(database, { ...progressOf(database), rewardsUntil: '' }));
}

/** Ends the business day for each branch, once: if the clock was set back, the same midnight comes again. */
function endBusinessDay(context: Context, day: string): void {
  const subject = { resource: 'business_dates', id: day };
  for (const { id } of context.database.all('SELECT id FROM branches ORDER BY seq')) {
    const type = 'inventory_business_date_ended';
    if (!wasNotified(context.database, type, String(id), subject)) notify(context, type, String(id), subject);
  }
}

/** Returns the progress. Also called to check whether it can be read. */
export function progressOf(database: Database): Progress {
  return readFact(database, factName, isProgress) ?? { rewardsUntil: '', day: '' };
}

function isProgress(value: unknown): value is Progress {
  return isObject(value) && isText(value.rewardsUntil) && isText(value.day);
}

function keep(database: Database, progress: Progress): void {
  writeFact(database, factName, progress);
}
