/** A journal whose tables hold all that was written down by now: for whoever asks it something. */
import { enterQueued } from './enter-queued.ts';
import { Journal } from './journal.ts';

/** Throws a storage failure where it can’t be brought up to date: an answer without the newest writes would be wrong. */
export function journalToRead(file: string): Journal {
  const journal = new Journal(file);
  try {
    enterQueued(journal.database);
    return journal;
  } catch (error) {
    journal.close();
    throw error;
  }
}
