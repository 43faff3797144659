/** Writes batches of a resource's rows while the next pages are read. */
import type { Row } from '../../session/row.ts';
import type { State } from '../schema/state.ts';

/**
 * The number of rows and of milliseconds after which a batch is written. Smaller batches write the same pages of a file
 * repeatedly, and larger batches keep rows in memory longer.
 */
const batchLimits = { rows: 1000, ms: 1000 } as const;
/**
 * The maximum number of rows that are read while a batch is being written. A killed sync must read these rows again.
 */
const maxBufferedRows = 2000;

/** Writes batches of rows in the background. */
export class WriteBehind {
  readonly #write: (rows: readonly Row[], state: State) => Promise<void>;
  #rows: Row[] = [];
  #state: State | undefined;
  #startedAt = 0;
  #pendingWrite: Promise<void> | undefined;
  #isWriting = false;

  /** `write` stores rows and state in the mirror, in one transaction. */
  constructor(write: (rows: readonly Row[], state: State) => Promise<void>) {
    this.#write = write;
  }

  /** Adds rows. `state` is the progress after these rows. Throws the error of an earlier write. */
  async add(rows: readonly Row[], state: State): Promise<void> {
    if (this.#rows.length === 0) this.#startedAt = performance.now();
    this.#rows.push(...rows);
    this.#state = state;
    const isBatchFull =
      this.#rows.length >= batchLimits.rows || performance.now() - this.#startedAt > batchLimits.ms;
    if (isBatchFull && (!this.#isWriting || this.#rows.length >= maxBufferedRows)) await this.#send();
  }

  /** Resolves once everything that was added is written. */
  async flush(): Promise<void> {
    await this.#send();
    await this.#pendingWrite;
  }

  async #send(): Promise<void> {
    await this.#pendingWrite;
    if (!this.#state) return;
    const [rows, state] = [this.#rows, this.#state];
    this.#rows = [];
    this.#state = undefined;
    this.#isWriting = true;
    this.#pendingWrite = this.#write(rows, state).finally(() => {
      this.#isWriting = false;
    });
    // The next call of add or flush throws the error.
    this.#pendingWrite.catch(() => {});
  }
}
