/** The outcome of an act on a change set: what was done, and what is left. */
import { firstItems } from '../base/shown-items.ts';
import type { Ledger } from '../runs/ledger/ledger.ts';
import type { Act, ChangeSet } from './change-set.ts';
import type { ChangeSets } from './change-sets.ts';
import type { Host } from './host.ts';

/** The outcome of a due act, as JSON. */
export interface Report {
  name: string;
  act: Act['kind'];
  /**
   * `done`: all of it. `partial`: it is over, and something is left. `missed`, `stopped`: nothing was sent, and nothing
   * will be. `waiting`: for another set. `failed`: the next `change run` tries again.
   */
  outcome: 'done' | 'partial' | 'missed' | 'stopped' | 'waiting' | 'failed';
  /** The id of the run. */
  run: string | null;
  message: string;
  /** What was left unchanged or failed: a sentence for each record. */
  left: string[];
}

/** What an act is carried out on, and with. */
export interface Acting {
  sets: ChangeSets;
  host: Host;
}

/** The outcome of an act without the set and the kind. */
export type ActOutcome = Pick<Report, 'outcome' | 'message'> & Partial<Pick<Report, 'left' | 'run'>>;

/** The outcome of an act whose set another process has changed. */
export const changedMeanwhile: ActOutcome = {
  outcome: 'failed',
  message: 'The set was edited or canceled at the same time.',
};

/** Returns whether the end time of a set has come. */
export function hasEnded({ until }: ChangeSet, host: Host): boolean {
  return until !== null && until <= host.now();
}

/** Records that a set was missed. */
export function markMissed(set: ChangeSet, { sets, host }: Acting): ActOutcome {
  const why = hasEnded(set, host)
    ? 'The end time has passed.'
    : 'It is later than --grace allows after the start time.';
  const message = `${why} Nothing was sent.`;
  return sets.change(set, { state: 'missed', reason: message })
    ? { outcome: 'missed', message }
    : changedMeanwhile;
}

/** Returns the outcome of an act that is over, with what it left. */
export function ended(what: string, left: string[]): ActOutcome {
  if (left.length === 0) return { outcome: 'done', message: `${what}.` };
  return { outcome: 'partial', message: `${what}, except for ${recordsIn(left)}.`, left };
}

/** Returns what is left after an act, for the set; null if nothing is. */
export function reasonOf(left: readonly string[]): string | null {
  return left.length > 0 ? firstItems(left).join(' ') : null;
}

/** Returns the number of records in words. */
export function recordsIn({ length }: readonly unknown[]): string {
  return length === 1 ? '1 record' : `${length} records`;
}

/** Returns a sentence for each row that was left out or failed. */
export function leftIn(ledger: Ledger): string[] {
  return [...ledger.rows('bad', 'failed')].map(({ key, id, error }) =>
    [key ?? id, error?.message].filter(Boolean).join(': '),
  );
}
