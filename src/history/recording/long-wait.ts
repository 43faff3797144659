/** Waiting for a journal that another process keeps for longer than a statement waits: what is to be kept must not be lost for that. */
import type { Database } from '../../storage/database.ts';
import { isBusy } from '../../storage/failures.ts';
import { Turns } from '../../storage/turns.ts';

/** To scrub a gigabyte takes some seconds, on a slow disk far more. In milliseconds. */
const longest = 300_000;

export interface WaitOptions {
  /** Told once that another process is waited for. */
  onWait?(sentence: string): void;
  /** Ends the waiting with its reason. */
  signal?: AbortSignal | undefined;
  /** In milliseconds, where that isn’t as usual. */
  longestWait?: number | undefined;
}

export class LongWait {
  readonly #options: WaitOptions;
  readonly #turns = new Turns();
  #count = 0;
  #isTold = false;
  /** How long a statement waits where nobody is waited for. */
  #usual = 0;

  constructor(options: WaitOptions) {
    this.#options = options;
  }

  /** Throws what `work` does, and the reason of the signal; `busy` only once nobody would wait any longer. */
  async inTurn(database: Database, work: () => void, isOpen: () => boolean): Promise<void> {
    // Nobody overtakes those who wait.
    if (this.#count === 0) {
      try {
        return work();
      } catch (error) {
        if (!isBusy(error)) throw error;
      }
      this.#usual = waitOf(database);
      // The whole process would stand still with each attempt.
      setWait(database, 0);
    }
    this.#count++;
    const { onWait, signal, longestWait: timeout = longest } = this.#options;
    if (!this.#isTold)
      onWait?.('The history is kept by another process that is writing to it: waiting for that.');
    this.#isTold = true;
    try {
      await this.#turns.inTurn(work, { signal, timeout });
    } finally {
      this.#count--;
      if (this.#count === 0 && isOpen()) setWait(database, this.#usual);
    }
  }
}

/** Whether it can be written at once: what can be done another time isn’t worth a wait. */
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
