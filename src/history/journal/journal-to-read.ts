/** Opens a journal for reading, after moving all queued rows into its tables. */
import { enterQueued } from './enter-queued.ts';
import { Journal } from './journal.ts';

/** If more entries than this are queued, moving them takes a noticeable time. */
const noticeableWrites = 40_000;

/**
 * Opens the journal. Throws a storage failure if it can't be updated: results without the newest writes would be wrong.
 * Calls `onMany` with the number of queued writes before they move, if that takes a noticeable time.
 */
export function journalToRead(file: string, { onMany }: { onMany?: (writes: number) => void } = {}): Journal {
  const journal = new Journal(file);
  try {
    const { database } = journal;
    const queuedCount = Number(
      database.get('SELECT number - entered_number AS queued FROM tail')?.queued ?? 0,
    );
    if (queuedCount > noticeableWrites) onMany?.(queuedCount);
    enterQueued(database);
    return journal;
  } catch (error) {
    journal.close();
    throw error;
  }
}
