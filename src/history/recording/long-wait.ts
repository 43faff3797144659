/** Waits for a journal that another process locks for longer than a statement waits, so that no write goes unrecorded. */
import type { Database } from '../../storage/database.ts';
import { isBusy } from '../../storage/failures.ts';
import { FairQueue } from '../../storage/fair-queue.ts';

/** To scrub a gigabyte takes seconds, on a slow disk far longer. In milliseconds. */
const defaultMaxWaitMs = 300_000;

/** Options for waiting. */
export interface WaitOptions {
  /** Called once when the wait begins, with a message. */
  onWait?(sentence: string): void;
  /** Ends the wait with its reason. */
  signal?: AbortSignal | undefined;
  /** The longest wait in milliseconds, if it isn't the default. */
  maxWaitMs?: number | undefined;
}

/** Runs work on a database in turn, and waits while another process locks it. */
export class LongWait {
  readonly #options: WaitOptions;
  readonly #turns = new FairQueue();
  #count = 0;
  #isAnnounced = false;
  /** How long a statement waits by default. */
  #usual = 0;

  constructor(options: WaitOptions) {
    this.#options = options;
  }

  /** Throws the error of `work`, or the reason of the signal; `busy` only after the longest wait. */
  async inTurn(database: Database, work: () => void, isOpen: () => boolean): Promise<void> {
    // A new caller queues behind those that are waiting.
    if (this.#count === 0) {
      try {
        return work();
      } catch (error) {
        if (!isBusy(error)) throw error;
      }
      this.#usual = waitOf(database);
      // A blocking attempt would stop the whole process.
      setWait(database, 0);
    }
    this.#count++;
    const { onWait, signal, maxWaitMs: timeoutMs = defaultMaxWaitMs } = this.#options;
    if (!this.#isAnnounced) onWait?.('Waiting for the history, which another process is writing to.');
    this.#isAnnounced = true;
    try {
      await this.#turns.enqueue(work, { signal, timeoutMs });
    } finally {
      this.#count--;
      if (this.#count === 0 && isOpen()) setWait(database, this.#usual);
    }
  }
}

/** Returns whether the database can be written to now: optional work isn't worth a wait. */
export function isFree(database: Database): boolean {
  const wait = waitOf(database);
  setWait(database, 0);
  try {
    database.write(() => undefined);
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  } finally {
    setWait(database, wait);
  }
}

function waitOf(database: Database): number {
  return Number(database.get('PRAGMA busy_timeout')?.timeout);
}

function setWait(database: Database, wait: number): void {
  database.script(`PRAGMA busy_timeout = ${wait}`);
}
