/** Records gathered to a stretch before they are written, while the next ones are read: a transaction for each page takes longer than the page. */
import type { Row } from '../../session/row.ts';
import type { State } from '../schema/state.ts';

/** As many rows make a stretch, or as long in milliseconds, whichever comes first: more are slower, as each row is then held for longer. */
const enough = { rows: 250, ms: 1000 } as const;

/** While one is being written, reading goes on up to so many rows: what a sync that is killed has read in vain. */
const mostRows = 1000;

export class WriteBehind {
  readonly #write: (rows: readonly Row[], state: State) => Promise<void>;
  #rows: Row[] = [];
  #state: State | undefined;
  #began = 0;
  #underWay: Promise<void> | undefined;
  #isWriting = false;

  /** `write` puts rows and state into the mirror in one transaction. */
  constructor(write: (rows: readonly Row[], state: State) => Promise<void>) {
    this.#write = write;
  }

  /** `state` says how far the reading has come with these rows. Throws what an earlier write failed of. */
  async add(rows: readonly Row[], state: State): Promise<void> {
    if (this.#rows.length === 0) this.#began = performance.now();
    this.#rows.push(...rows);
    this.#state = state;
    const isEnough = this.#rows.length >= enough.rows || performance.now() - this.#began > enough.ms;
    if (isEnough && (!this.#isWriting || this.#rows.length >= mostRows)) await this.#send();
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
    this.#isWriting = true;
    this.#underWay = this.#write(rows, state).finally(() => {
      this.#isWriting = false;
    });
    // Whoever adds or flushes next is told.
    this.#underWay.catch(() => {});
  }
}
