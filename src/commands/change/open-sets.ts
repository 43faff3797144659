/** Opens the change sets of the account in use, and shows a set. */
import { Failure } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { businessTime } from '../../changes/business-time.ts';
import { type ChangeSet, nextAct } from '../../changes/change-set.ts';
import { type ChangeSets, openChangeSets } from '../../changes/change-sets.ts';
import type { Context } from '../../context/context.ts';
import { formatTimestamp } from '../../contract/moment.ts';
import { type AccountInUse, accountInUse } from '../../session/file-owner.ts';
import type { AnyAccountFlag } from '../flags/shared-flags.ts';

/** The change sets of an account. They are closed with the command. */
export interface OpenSets {
  /** Undefined if the account has none, and the file isn't to be created. */
  sets: ChangeSets | undefined;
  account: AccountInUse;
}

/** Opens the change sets. A command that only shows them doesn't wait long for the service. */
export async function openSets(
  context: Context,
  { anyAccount: isAny = false }: AnyAccountFlag,
  { isReading = false, isCreated = false } = {},
): Promise<OpenSets> {
  const account = await accountInUse(await context.session(), undefined, { isQuick: isReading });
  const sets = openChangeSets(context.env, account, { isAny, isCreated });
  if (sets) context.kept.finish.push(() => sets.close());
  return { sets, account };
}

/** Opens the change sets of an account that has some. Throws `not_found` if it has none. */
export async function setsThere(context: Context, flags: AnyAccountFlag): Promise<ChangeSets> {
  const { sets } = await openSets(context, flags, { isReading: true });
  if (sets) return sets;
  throw new Failure('not_found', 'This account has no change sets on this machine.', {
    hint: boh.help('change create'),
  });
}

/** A change set as JSON; times are in UTC, `YYYY-MM-DD HH:MM:SS`. */
export interface ShownSet {
  name: string;
  state: ChangeSet['state'];
  at: string;
  until: string | null;
  timezone: string;
  /** What is due next, and when; null for a set that is over. */
  next: 'begin' | 'return' | null;
  next_at: string | null;
  /** Whether that time has passed. */
  is_due: boolean;
  summary: string;
  note: string | null;
  on_changed: ChangeSet['onChanged'];
  grace_seconds: number;
  created_at: string;
  begun_at: string | null;
  returned_at: string | null;
  /** The ids of the runs that begin and end it, for `boh runs show`. */
  run: string;
  return_run: string | null;
  reason: string | null;
}

/** Returns a set as JSON. */
export function shownSet(set: ChangeSet, now: number): ShownSet {
  const utc = (at: number | null) => (at === null ? null : formatTimestamp(new Date(at)));
  const next = nextAct(set);
  return {
    name: set.name,
    state: set.state,
    at: utc(set.at) ?? '',
    until: utc(set.until),
    timezone: set.zone,
    next: next?.kind ?? null,
    next_at: next ? utc(next.at) : null,
    is_due: next !== undefined && next.at <= now,
    summary: set.summary,
    note: set.note,
    on_changed: set.onChanged,
    grace_seconds: set.grace / 1000,
    created_at: utc(set.createdAt) ?? '',
    begun_at: utc(set.begunAt),
    returned_at: utc(set.returnedAt),
    run: set.run,
    return_run: set.returnRun,
    reason: set.reason,
  };
}

/** Returns the period of a set in words: `from 2027-02-08 04:00 Asia/Riyadh (2027-02-08 01:00 UTC) until …`. */
export function periodOf({ at, until, zone }: Pick<ChangeSet, 'at' | 'until' | 'zone'>): string {
  const end = until === null ? 'with no end' : `until ${businessTime(until, zone)}`;
  return `from ${businessTime(at, zone)} ${end}`;
}
