/** Opens unfinished runs, whose last requests the service may still process. */
import { StorageFailure } from '../../storage/failures.ts';
import type { Ledger } from './ledger.ts';
import { openRun } from './runs.ts';

/** How long the service may still process a request after the process that sent it has ended, in ms. */
export const reconcileAfterMs = 3000;

/** Opens the ledger of a run; undefined if it can't be read: the run then can't be resumed either. */
export function openReadableRun(accountFolder: string, id: string): Ledger | undefined {
  try {
    return openRun(accountFolder, id);
  } catch (error) {
    if (error instanceof StorageFailure) return undefined;
    throw error;
  }
}
