/** Opens unfinished runs, and ends those whose remaining rows a later run has planned again. */
import type { Environment } from '../../base/environment.ts';
import { StorageFailure } from '../../storage/failures.ts';
import type { Ledger } from './ledger.ts';
import { openRun } from './runs.ts';

/** How long the service may still process a request after the process that sent it has ended, in ms. */
export const reconcileAfterMs = 3000;

/** Opens the ledger of a run; undefined if it can't be read: the run then can't be resumed either. */
export function openReadableRun(env: Environment, id: string): Ledger | undefined {
  try {
    return openRun(env, id);
  } catch (error) {
    if (error instanceof StorageFailure) return undefined;
    throw error;
  }
}

/** Ends a run whose remaining rows are planned again: if it were resumed, they would be sent twice. */
export function endRun(env: Environment, id: string): void {
  const ledger = openReadableRun(env, id);
  if (!ledger) return;
  const error = {
    category: 'interrupted' as const,
    message: 'Not sent: a later run planned it again.',
  };
  const unfinishedSeqs = [...ledger.rows('planned', 'sent', 'unknown')].map(({ seq }) => seq);
  ledger.write(() => {
    for (const seq of unfinishedSeqs) ledger.change(seq, { state: 'failed', error });
    ledger.setProperty('state', 'finished');
  });
  ledger.close();
}
