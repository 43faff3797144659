/** The changes of rows that wait for the next transaction of their ledger. */
import { StorageFailure } from '../../../base/storage/failures.ts';
import type { RowChange } from './row.ts';

/**
 * The maximum time that outcomes are buffered before they are written, in milliseconds. After a crash, the outcomes of this
 * time are unknown.
 */
const outcomeDelayMs = 50;

/** The changes that aren't in the file yet, possibly because the disk is full. `write` writes all of them. */
export class PendingChanges {
  /** The changes of each row, by its sequence number. */
  #changes = new Map<number, RowChange>();
  /** The functions that record the outcomes of these rows in the history. */
  #records: (() => void)[] = [];
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
  add(seq: number, change: RowChange, record?: () => void): void {
    if (this.#isStopped) return;
    this.#changes.set(seq, { ...this.#changes.get(seq), ...change });
    if (record) this.#records.push(record);
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

  /** Passes the changes and a function that records their outcomes to `work`, which writes them. If it fails, all stay pending. */
  flushWith<T>(work: (changes: ReadonlyMap<number, RowChange>, recordOutcomes: () => void) => T): T {
    const [changes, records] = [this.#changes, this.#records];
    [this.#changes, this.#records] = [new Map(), []];
    try {
      return work(changes, () => {
        for (const record of records) record();
      });
    } catch (error) {
      const newChanges = this.#changes;
      this.#changes = changes;
      for (const [seq, change] of newChanges) this.#changes.set(seq, { ...changes.get(seq), ...change });
      this.#records.unshift(...records);
      throw error;
    }
  }

  /** Stops the timer when the ledger is closed. Rows whose requests are still in progress stay recorded as sent. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }
}
