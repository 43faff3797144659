/** What a journal needs now and then, while writes go on: places of its queue entered, and old entries thrown away. */
import { enterQueued } from '../journal/enter-queued.ts';
import type { Journal } from '../journal/journal.ts';
import { isFree } from '../recording/long-wait.ts';
import { dropOld, usualLimits } from './drop.ts';

/** Entries that enter along the way at a time. */
const atATime = 1000;

/** Old entries go where it is given what time it is. False where another process is at work on it: then it is for another time. */
export function putInOrder(journal: Journal, mostWaiting: number, now: number | undefined): boolean {
  if (!isFree(journal.database)) return false;
  const tooMany = journal.waiting - mostWaiting;
  if (tooMany > 0) journal.waiting -= enterQueued(journal.database, tooMany + atATime);
  if (now !== undefined) dropOld(journal, usualLimits, now);
  return true;
}
