/** The outcome of an act on a change set, with the rows that were skipped or failed. */
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
   * `done`: complete. `partial`: over, with skipped or failed rows. `missed`, `stopped`: nothing was sent, and nothing
   * will be. `waiting`: waits for another set. `failed`: the next `change run` tries again.
   */
  outcome: 'done' | 'partial' | 'missed' | 'stopped' | 'waiting' | 'failed';
  /** The id of the run. */
  run: string | null;
  message: string;
  /** A sentence for each record that was skipped or failed. */
  left: string[];
}

/** The change sets of an account, and the host that carries them out. */
export interface ActContext {
  sets: ChangeSets;
  host: Host;
}

/** The outcome of an act without the set and the kind. */
export type ActOutcome = Pick<Report, 'outcome' | 'message'> & Partial<Pick<Report, 'left' | 'run'>>;

/** The outcome of an act whose set was changed by another process. */
export const changedConcurrently: ActOutcome = {
  outcome: 'failed',
  message: 'The set was edited or canceled at the same time.',
};

/** Returns whether the end time of a set has passed. */
export function hasEnded({ until }: ChangeSet, host: Host): boolean {
  return until !== null && until <= host.now();
}

/** Records that a set was missed. */
export function markMissed(set: ChangeSet, { sets, host }: ActContext): ActOutcome {
  const reason = hasEnded(set, host)
    ? 'The end time has passed.'
    : 'The start time passed longer ago than --grace allows.';
  const message = `${reason} Nothing was sent.`;
  return sets.change(set, { state: 'missed', reason: message })
    ? { outcome: 'missed', message }
    : changedConcurrently;
}

/** Returns the outcome of an act that is over, with its skipped or failed rows. */
export function outcomeWith(change: string, left: string[]): ActOutcome {
  if (left.length === 0) return { outcome: 'done', message: `${change}.` };
  return { outcome: 'partial', message: `${change}, except for ${recordsIn(left)}.`, left };
}

/** Returns the stored reason for skipped or failed rows; null without such rows. */
export function reasonOf(left: readonly string[]): string | null {
  return left.length > 0 ? firstItems(left).join(' ') : null;
}

/** Returns a count of records as text: `1 record`, `2 records`. */
export function recordsIn({ length }: readonly unknown[]): string {
  return length === 1 ? '1 record' : `${length} records`;
}

/** Returns a sentence for each row that was skipped or failed. */
export function unsentRows(ledger: Ledger): string[] {
  return [...ledger.rows('bad', 'failed')].map(({ key, id, error }) =>
    [key ?? id, error?.message].filter(Boolean).join(': '),
  );
}
