/** What time alone brings about: savings become rewards, and business days end. Looked at before each request. */
import type { Database } from '../../storage/database.ts';
import { writeDay, writeMoment } from '../calendar.ts';
import type { Context } from '../context.ts';
import { isObject, isText, readFact, writeFact } from '../store/facts.ts';
import { notify, wasNotified } from './events.ts';
import { giveRewards, isAnythingRipe } from './loyalty.ts';

/** How far the sandbox has come. */
export interface Progress {
  /** The moment up to which savings have been looked at. */
  rewardsUntil: string;
  /** The business day that has begun. */
  day: string;
}

const factName = 'progress';

/** Whether there is anything to do; found out without writing. A clock that was set back lets moments come again. */
export function isBehind({ database, tables, now }: Pick<Context, 'database' | 'tables' | 'now'>): boolean {
  const { rewardsUntil, day } = progressOf(database);
  const moment = writeMoment(now);
  if (day !== writeDay(now) || moment < rewardsUntil) return true;
  return tables.has('loyalty_transactions') && isAnythingRipe(database, rewardsUntil, moment);
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
