/** Maintains a journal between writes: moves queued rows to the tables and deletes old entries. */
import { enterQueued } from '../journal/enter-queued.ts';
import type { Journal } from '../journal/journal.ts';
import { isFree } from '../recording/long-wait.ts';
import { defaultLimits, dropOld } from './delete-old.ts';

/** The number of entries that move at a time. */
const batchEntries = 1000;

/** Deletes old entries if `now` is given. Returns false if another process holds the lock; the next call tries again. */
export function maintainJournal(journal: Journal, maxWaiting: number, now: number | undefined): boolean {
  if (!isFree(journal.database)) return false;
  const tooMany = journal.waiting - maxWaiting;
  if (tooMany > 0) journal.waiting -= enterQueued(journal.database, tooMany + batchEntries);
  if (now !== undefined) dropOld(journal, defaultLimits, now);
  return true;
}
