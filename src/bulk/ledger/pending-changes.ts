/** Changes of rows that are written to the ledger a moment later, many at a time. */
import { StorageFailure } from '../../storage/failures.ts';
import type { RowChange } from './row.ts';

/** What a row has come to. */
export interface PendingChange {
  seq: number;
  change: RowChange;
}

/** How long a change waits for others, in milliseconds. */
const delayMs = 50;

/** Changes that the file doesn't hold yet, or can't hold as the disk is full. `write` writes all of them. */
export class PendingChanges {
  #changes: PendingChange[] = [];
  #timer: NodeJS.Timeout | undefined;
  readonly #write: () => void;

  constructor(write: () => void) {
    this.#write = write;
  }

  /** Adds a change, which is written with the next write or within moments. */
  add(seq: number, change: RowChange): void {
    this.#changes.push({ seq, change });
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.flush();
    }, delayMs);
  }

  /** Writes them, if there are any. Where the disk doesn't take them they stay: the next row to be sent stops the run. */
  flush(): void {
    if (this.#changes.length === 0) return;
    try {
      this.#write();
    } catch (error) {
      if (!(error instanceof StorageFailure)) throw error;
    }
  }

  /** Gives them to the work, which writes them; where it fails, they stay. */
  writtenBy<T>(work: (changes: readonly PendingChange[]) => T): T {
    const changes = this.#changes;
    this.#changes = [];
    try {
      return work(changes);
    } catch (error) {
      this.#changes = [...changes, ...this.#changes];
      throw error;
    }
  }

  /** One change for each row, by its place. */
  byRow(): ReadonlyMap<number, RowChange> {
    const all = new Map<number, RowChange>();
    for (const { seq, change } of this.#changes) all.set(seq, { ...all.get(seq), ...change });
    return all;
  }

  /** Nothing is written by itself any more. */
  stop(): void {
    clearTimeout(this.#timer);
  }
}
