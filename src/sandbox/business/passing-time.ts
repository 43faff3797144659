/** What time alone brings about: savings become rewards, and business days end. Known ahead for each request. */
import type { Database } from '../../storage/database.ts';
import { dayLength, readMoment, writeDay, writeMoment } from '../calendar.ts';
import type { Context } from '../context.ts';
import { isObject, isText, readFact, writeFact } from '../store/facts.ts';
import { notify, wasNotified } from './events.ts';
import { giveRewards, nextRipening } from './loyalty.ts';

/** How far the sandbox has come. */
export interface Progress {
  /** The moment up to which savings have been looked at. */
  rewardsUntil: string;
  /** The business day that has begun. */
  day: string;
}

const factName = 'progress';

/** From the one moment until the other time brings nothing about: in milliseconds since 1970. */
export interface Calm {
  from: number;
  until: number;
}

/** A clock that is set back lets moments come again. */
export function calmOf({ database, tables }: Pick<Context, 'database' | 'tables'>): Calm {
  const { rewardsUntil, day } = progressOf(database);
  const begins = readMoment(day);
  const ripe = tables.has('loyalty_transactions') ? nextRipening(database, rewardsUntil) : undefined;
  return {
    from: rewardsUntil === '' ? begins : Math.max(begins, readMoment(rewardsUntil)),
    until: Math.min(begins + dayLength, ripe === undefined ? Number.POSITIVE_INFINITY : readMoment(ripe)),
  };
}

/** Also where nothing is known of what has been brought about: everything is ahead then. */
export function isBehind({ from, until }: Calm, now: number): boolean {
  return !(now >= from && now < until);
}

export function catchUp(context: Context): void {
  const { database, tables, now } = context;
  database.write(() => {
    const { rewardsUntil, day } = progressOf(database);
    if (tables.has('loyalty_transactions', 'loyalty_rewards')) giveRewards(context, rewardsUntil);
    if (day !== '' && day < writeDay(now) && tables.has('branches', 'users')) endBusinessDay(context, day);
    keep(database, { rewardsUntil: writeMoment(now), day: writeDay(now) });
  });
}

/** All savings are looked at anew, as after a change of the settings. */
export function lookAnew(database: Database): void {
  database.write(() => keep(database, { ...progressOf(database), rewardsUntil: '' }));
}

/** A clock that was set back comes by the same midnight again: a day ends once for each branch. */
function endBusinessDay(context: Context, day: string): void {
  const subject = { resource: 'business_dates', id: day };
  for (const { id } of context.database.all('SELECT id FROM branches ORDER BY seq')) {
    const type = 'inventory_business_date_ended';
    if (!wasNotified(context.database, type, String(id), subject)) notify(context, type, String(id), subject);
  }
}

/** Also to see whether it can be read. */
export function progressOf(database: Database): Progress {
  return readFact(database, factName, isProgress) ?? { rewardsUntil: '', day: '' };
}

function isProgress(value: unknown): value is Progress {
  return isObject(value) && isText(value.rewardsUntil) && isText(value.day);
}

function keep(database: Database, progress: Progress): void {
  writeFact(database, factName, progress);
}
