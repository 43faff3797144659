/** Changes of rows that are written to the ledger a moment later, many at a time. */
import { StorageFailure } from '../../storage/failures.ts';
import type { RowChange } from './row.ts';

/** How long a change waits for others, in milliseconds. */
const delayMs = 50;

/** Changes that the file doesn't hold yet, or can't hold as the disk is full. `write` writes all of them. */
export class PendingChanges {
  /** One change for each row, by its place. */
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

  /** Adds a change, which is written with the next write or within moments. */
  add(seq: number, change: RowChange): void {
    if (this.#isStopped) return;
    this.#changes.set(seq, { ...this.#changes.get(seq), ...change });
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.flush();
    }, delayMs);
  }

  /** Writes them, if there are any. Where the disk doesn't take them they stay: the next batch of rows stops the run. */
  flush(): void {
    if (this.#changes.size === 0) return;
    try {
      this.#write();
    } catch (error) {
      if (!(error instanceof StorageFailure)) throw error;
    }
  }

  /** Gives them to the work, which writes them; where it fails, they stay. */
  writtenBy<T>(work: (changes: ReadonlyMap<number, RowChange>) => T): T {
    const changes = this.#changes;
    this.#changes = new Map();
    try {
      return work(changes);
    } catch (error) {
      const added = this.#changes;
      this.#changes = changes;
      for (const [seq, change] of added) this.#changes.set(seq, { ...changes.get(seq), ...change });
      throw error;
    }
  }

  /** No more changes are taken: the ledger is closed, and rows that are still in flight stay recorded as sent. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }
}
