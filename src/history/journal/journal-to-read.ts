/** Opens a journal for reading, after moving all queued rows into its tables. */
import { enterQueued } from './enter-queued.ts';
import { Journal } from './journal.ts';
import type { Loss } from './loss.ts';

/** If more entries than this are queued, moving them takes a noticeable time. */
const noticeableWrites = 40_000;

/** Callbacks and files for reading a journal. */
export interface ReadingOptions {
  /** Called with the number of queued writes before they move, if that takes a noticeable time. */
  onMany?: ((writes: number) => void) | undefined;
  /** Called if the journal has lost writes, which are missing in every result. */
  onLoss?: ((loss: Loss) => void) | undefined;
  /** The file that records the journal's end; see head-file.ts. */
  headFile?: string | undefined;
}

/**
 * Opens the journal. Throws a storage failure if it can't be updated: results without the newest writes would be wrong.
 */
export function journalToRead(file: string, { onMany, onLoss, headFile }: ReadingOptions = {}): Journal {
  const journal = new Journal(file, { headFile });
  if (journal.loss) onLoss?.(journal.loss);
  try {
    const { database } = journal;
    const row = database.get('SELECT tail.number - chain_end.number AS queued FROM tail, chain_end');
    const queuedCount = Number(row?.queued ?? 0);
    if (queuedCount > noticeableWrites) onMany?.(queuedCount);
    enterQueued(database);
    return journal;
  } catch (error) {
    journal.close();
    throw error;
  }
}
