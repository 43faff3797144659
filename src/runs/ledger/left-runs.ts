/** Runs that were begun and not ended: looked into, and ended where a later one has planned anew what they had left. */
import type { Environment } from '../../base/environment.ts';
import { StorageFailure } from '../../storage/failures.ts';
import type { Ledger } from './ledger.ts';
import { openRun } from './runs.ts';

/** As long as a request may be on its way at the service after the process that sent it is gone, in milliseconds. */
export const reconcileAfterMs = 3000;

/** Undefined where its ledger can’t be read: then it can’t be gone on with either. */
export function openedRun(env: Environment, id: string): Ledger | undefined {
  try {
    return openRun(env, id);
  } catch (error) {
    if (error instanceof StorageFailure) return undefined;
    throw error;
  }
}

/** Gone on with, it would do a second time what is planned anew. */
export function endRun(env: Environment, id: string): void {
  const ledger = openedRun(env, id);
  if (!ledger) return;
  const error = {
    category: 'interrupted' as const,
    message: 'Was left for a later run, which has planned it anew.',
  };
  const left = [...ledger.rows('planned', 'sent', 'unknown')].map(({ seq }) => seq);
  ledger.write(() => {
    for (const seq of left) ledger.change(seq, { state: 'failed', error });
    ledger.setFact('state', 'finished');
  });
  ledger.close();
}
