/** Rows that are about to leave, written down as sent first: each by itself, or some at a time where requests are quick. */
import type { Ledger } from '../ledger/ledger.ts';
import type { LedgerRow } from '../ledger/row.ts';

/** Departures that follow each other within so many milliseconds are quick: then as many are written down together. */
const quick = 10;
export const together = 8;

export class Departures {
  readonly #ledger: Ledger;
  readonly #comingUp: () => readonly LedgerRow[];
  readonly #ahead = new Map<number, LedgerRow>();
  #last = Number.NEGATIVE_INFINITY;

  /** `comingUp` are the rows that leave next, none of them begun. */
  constructor(ledger: Ledger, comingUp: () => readonly LedgerRow[]) {
    this.#ledger = ledger;
    this.#comingUp = comingUp;
  }

  /** Rows that leave next, where requests are quick: what is written down of one may be written down of all of them. */
  following(): readonly LedgerRow[] {
    return performance.now() - this.#last < quick ? this.#comingUp() : [];
  }

  /** To be told right before each attempt. A process that dies now leaves a few rows that look sent and aren't. */
  depart(row: LedgerRow, sentAt: number): void {
    const isMarked = this.#ahead.delete(row.seq);
    const others = isMarked ? [] : this.following().filter(({ seq }) => !this.#ahead.has(seq));
    this.#last = performance.now();
    Object.assign(row, { state: 'sent', sentAt, tries: row.tries + 1 });
    if (isMarked) return;
    this.#ledger.write(() => {
      for (const { seq, tries } of [row, ...others])
        this.#ledger.change(seq, { state: 'sent', sentAt, tries });
    });
    for (const other of others) this.#ahead.set(other.seq, other);
  }

  /** Those that were written down and didn't leave, as the run has stopped. */
  takeBack(): void {
    this.#ledger.write(() => {
      for (const seq of this.#ahead.keys()) this.#ledger.change(seq, { state: 'planned', sentAt: null });
    });
    this.#ahead.clear();
  }
}
