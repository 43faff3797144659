/** The report of a scheduled action: its outcome, and the rows that were skipped or failed. */
import { truncateItems } from '../../base/shown-items.ts';
import type { Ledger } from '../runs/ledger/ledger.ts';
import type { ChangeSet, ScheduledAction } from './change-set.ts';
import type { ChangeSets } from './change-sets.ts';
import type { Host } from './host.ts';

/** The outcome of a due action, as JSON. */
export interface ActionReport {
  name: string;
  act: ScheduledAction['kind'];
  /**
   * `done`: complete. `partial`: over, with skipped or failed rows. `missed`, `stopped`: nothing was sent, and nothing
   * will be. `waiting`: waits for another set. `failed`: the next `change run` tries again.
   */
  outcome: 'done' | 'partial' | 'missed' | 'stopped' | 'waiting' | 'failed';
  /** The ID of the run. */
  run: string | null;
  message: string;
  /** A message for each record that was skipped or failed. */
  left: string[];
}

/** The change sets of an account, and the host that executes them. */
export interface ActionContext {
  sets: ChangeSets;
  host: Host;
}

/** The outcome of an action, without the name of the set and the kind. */
export type ActionOutcome = Pick<ActionReport, 'outcome' | 'message'> &
  Partial<Pick<ActionReport, 'left' | 'run'>>;

/** The outcome of an action whose set was changed by another process. */
export const changedConcurrently: ActionOutcome = {
  outcome: 'failed',
  message: 'The set was edited or canceled at the same time.',
};

export function hasEnded({ endsAt }: ChangeSet, host: Host): boolean {
  return endsAt !== null && endsAt <= host.now();
}

export function markMissed(set: ChangeSet, { sets, host }: ActionContext): ActionOutcome {
  const reason = hasEnded(set, host)
    ? 'The end time has passed.'
    : 'The start time passed longer ago than --grace allows.';
  const message = `${reason} Nothing was sent.`;
  return sets.change(set, { state: 'missed', reason: message })
    ? { outcome: 'missed', message }
    : changedConcurrently;
}

/** Returns the outcome of a completed action: `partial` if rows were skipped or failed. */
export function completedOutcome(change: string, rowMessages: string[]): ActionOutcome {
  if (rowMessages.length === 0) return { outcome: 'done', message: `${change}.` };
  return {
    outcome: 'partial',
    message: `${change}, except for ${formatRecordCount(rowMessages)}.`,
    left: rowMessages,
  };
}

/** Returns the reason to store for skipped or failed rows: their first messages; null without such rows. */
export function incompleteReason(rowMessages: readonly string[]): string | null {
  return rowMessages.length > 0 ? truncateItems(rowMessages).join(' ') : null;
}

/** Formats a number of records: `1 record`, `2 records`. */
export function formatRecordCount({ length }: readonly unknown[]): string {
  return length === 1 ? '1 record' : `${length} records`;
}

/** Returns a message for each row that was skipped or failed. */
export function incompleteRowMessages(ledger: Ledger): string[] {
  return [...ledger.rows('bad', 'failed')].map(({ key, id, error }) =>
    [key ?? id, error?.message].filter(Boolean).join(': '),
  );
}
