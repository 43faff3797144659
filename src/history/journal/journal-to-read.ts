/** A journal whose tables hold all that was written down by now: for whoever asks it something. */
import { enterQueued } from './enter-queued.ts';
import { Journal } from './journal.ts';

/** Of so many on, somebody who looks on notices that they enter. */
const noticeable = 40_000;

/**
 * `onMany` is told how many writes enter first, where that takes its time. Throws a storage failure where it can’t be
 * brought up to date: an answer without the newest writes would be wrong.
 */
export function journalToRead(file: string, onMany?: (writes: number) => void): Journal {
  const journal = new Journal(file);
  try {
    const { database } = journal;
    const row = database.get('SELECT tail.number - chain_end.number AS waiting FROM tail, chain_end');
    const waiting = Number(row?.waiting ?? 0);
    if (waiting > noticeable) onMany?.(waiting);
    enterQueued(database);
    return journal;
  } catch (error) {
    journal.close();
    throw error;
  }
}
