/** Waits while another process locks the journal for a long time, so that all writes are recorded. */
import type { Database } from '../../storage/database.ts';
import { isBusy } from '../../storage/failures.ts';
import { FairQueue } from '../../storage/fair-queue.ts';

/** The default maximum wait in milliseconds. Scrubbing a gigabyte takes seconds, or much longer on a slow disk. */
const defaultMaxWaitMs = 300_000;

/** Options for waiting. */
export interface WaitOptions {
  /** Called once when the wait begins, with a message. */
  onWait?(message: string): void;
  /** Ends the wait with its reason. */
  signal?: AbortSignal | undefined;
  /** The maximum wait in milliseconds, if it isn't the default. */
  maxWaitMs?: number | undefined;
}

/** Runs work on a database in turn, and waits while another process locks it. */
export class LongWait {
  readonly #options: WaitOptions;
  readonly #queue = new FairQueue();
  #waitingCount = 0;
  #isAnnounced = false;
  /** The time that a statement waits for a lock by default, in ms. */
  #defaultTimeoutMs = 0;

  constructor(options: WaitOptions) {
    this.#options = options;
  }

  /** Throws the error of `work`, or the reason of the signal; `busy` only after the longest wait. */
  async enqueue(database: Database, work: () => void, isOpen: () => boolean): Promise<void> {
    // If other callers are waiting, a new caller waits behind them.
    if (this.#waitingCount === 0) {
      try {
        return work();
      } catch (error) {
        if (!isBusy(error)) throw error;
      }
      this.#defaultTimeoutMs = busyTimeoutOf(database);
      // A blocking attempt would stop the whole process.
      setBusyTimeout(database, 0);
    }
    this.#waitingCount++;
    const { onWait, signal, maxWaitMs: timeoutMs = defaultMaxWaitMs } = this.#options;
    if (!this.#isAnnounced) onWait?.('Waiting for the history, which another process is writing to.');
    this.#isAnnounced = true;
    try {
      await this.#queue.enqueue(work, { signal, timeoutMs });
    } finally {
      this.#waitingCount--;
      if (this.#waitingCount === 0 && isOpen()) setBusyTimeout(database, this.#defaultTimeoutMs);
    }
  }
}

/** Returns whether the database can be written to now: optional work doesn't wait. */
export function isFree(database: Database): boolean {
  const timeoutMs = busyTimeoutOf(database);
  setBusyTimeout(database, 0);
  try {
    database.write(() => undefined);
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  } finally {
    setBusyTimeout(database, timeoutMs);
  }
}

function busyTimeoutOf(database: Database): number {
  return Number(database.get('PRAGMA busy_timeout')?.timeout);
}

function setBusyTimeout(database: Database, timeoutMs: number): void {
  database.script(`PRAGMA busy_timeout = ${timeoutMs}`);
}
