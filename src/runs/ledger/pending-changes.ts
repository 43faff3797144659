/** Collects changes of rows, and writes them to the ledger in batches. */
import { outcomeDelayMs } from '../../session/observed-writes.ts';
import { StorageFailure } from '../../storage/failures.ts';
import type { RowChange } from './row.ts';

/** The changes that aren't in the file yet, possibly because the disk is full. `write` writes all of them. */
export class PendingChanges {
  /** The changes of each row, by its sequence number. */
  #changes = new Map<number, RowChange>();
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  readonly #write: () => void;

  constructor(write: () => void) {
    this.#write = write;
  }

  get byRow(): ReadonlyMap<number, RowChange> {
    return this.#changes;
  }

  /** Adds a change, which is written with the next write or within milliseconds. */
  add(seq: number, change: RowChange): void {
    if (this.#isStopped) return;
    this.#changes.set(seq, { ...this.#changes.get(seq), ...change });
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.flush();
    }, outcomeDelayMs);
  }

  /**
   * Writes the changes, if there are any. If the disk is full they stay pending: the next batch of rows stops the run.
   */
  flush(): void {
    if (this.#changes.size === 0) return;
    try {
      this.#write();
    } catch (error) {
      if (!(error instanceof StorageFailure)) throw error;
    }
  }

  /** Passes the changes to `work`, which writes them. If it fails, they stay pending. */
  flushWith<T>(work: (changes: ReadonlyMap<number, RowChange>) => T): T {
    const changes = this.#changes;
    this.#changes = new Map();
    try {
      return work(changes);
    } catch (error) {
      const newChanges = this.#changes;
      this.#changes = changes;
      for (const [seq, change] of newChanges) this.#changes.set(seq, { ...changes.get(seq), ...change });
      throw error;
    }
  }

  /** Stops the timer when the ledger is closed. Rows whose requests are still in progress stay recorded as sent. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }
}
