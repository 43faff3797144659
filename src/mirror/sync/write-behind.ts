/** Records gathered to a stretch before they are written, while the next ones are read: a transaction for each page takes longer than the page. */
import type { Row } from '../../session/row.ts';
import type { State } from '../schema/state.ts';

/** As many rows, or as long in milliseconds, whichever comes first: what a sync that is killed has read in vain. */
const most = { rows: 500, ms: 1000 } as const;

export class WriteBehind {
  readonly #write: (rows: readonly Row[], state: State) => Promise<void>;
  #rows: Row[] = [];
  #state: State | undefined;
  #began = 0;
  #underWay: Promise<void> | undefined;

  /** `write` puts rows and state into the mirror in one transaction. */
  constructor(write: (rows: readonly Row[], state: State) => Promise<void>) {
    this.#write = write;
  }

  /** `state` says how far the reading has come with these rows. Throws what an earlier write failed of. */
  async add(rows: readonly Row[], state: State): Promise<void> {
    if (this.#rows.length === 0) this.#began = performance.now();
    this.#rows.push(...rows);
    this.#state = state;
    if (this.#rows.length >= most.rows || performance.now() - this.#began > most.ms) await this.#send();
  }

  /** All that was added is written once it is done. */
  async flush(): Promise<void> {
    await this.#send();
    await this.#underWay;
  }

  async #send(): Promise<void> {
    await this.#underWay;
    if (!this.#state) return;
    const [rows, state] = [this.#rows, this.#state];
    this.#rows = [];
    this.#state = undefined;
    this.#underWay = this.#write(rows, state);
    // Whoever adds or flushes next is told.
    this.#underWay.catch(() => {});
  }
}
