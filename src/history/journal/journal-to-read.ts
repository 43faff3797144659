/** A journal whose tables hold all that was written down by now: for whoever asks it something. */
import { enterQueued } from './enter-queued.ts';
import { Journal } from './journal.ts';
import type { Loss } from './loss.ts';

/** Of so many on, somebody who looks on notices that they enter. */
const noticeable = 40_000;

export interface ReadingOptions {
  /** Told how many writes enter first, where that takes its time. */
  onMany?: ((writes: number) => void) | undefined;
  /** Told of writes that it has lost: they are missing in every answer. */
  onLoss?: ((loss: Loss) => void) | undefined;
  /** Where its end is noted; see head-file.ts. */
  headFile?: string | undefined;
}

/** Throws a storage failure where it can’t be brought up to date: an answer without the newest writes would be wrong. */
export function journalToRead(file: string, { onMany, onLoss, headFile }: ReadingOptions = {}): Journal {
  const journal = new Journal(file, { headFile });
  if (journal.loss) onLoss?.(journal.loss);
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
