/** Rows that are about to leave, written down as sent first: each by itself, or some at a time where requests are quick. */
import { StorageFailure } from '../../storage/failures.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { LedgerRow } from '../ledger/row.ts';

/** Departures that follow each other within so many milliseconds are quick: then as many are written down together. */
const quick = 10;
const together = 8;

/** With no more left that are written down, the next ones are, while the requests of others are under way. */
const few = 0;

/** Rows that are known before they leave: whoever writes down each of them may do so for as many at once. */
export const mostComingUp = 24;

export class Departures {
  readonly #ledger: Ledger;
  readonly #comingUp: () => readonly LedgerRow[];
  readonly #ahead = new Map<number, LedgerRow>();
  #last = Number.NEGATIVE_INFINITY;
  #soon: NodeJS.Immediate | undefined;

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
    const others = isMarked ? [] : this.#others();
    this.#last = performance.now();
    Object.assign(row, { state: 'sent', sentAt, tries: row.tries + 1 });
    if (!isMarked) this.#mark([row, ...others], sentAt);
    for (const other of others) this.#ahead.set(other.seq, other);
    if (isMarked && this.#ahead.size <= few) this.#markSoon(sentAt);
  }

  /** Those that were written down and didn't leave, as the run has stopped. */
  takeBack(): void {
    this.end();
    this.#ledger.write(() => {
      for (const seq of this.#ahead.keys()) this.#ledger.change(seq, { state: 'planned', sentAt: null });
    });
    this.#ahead.clear();
  }

  /** No more are written down: the ledger may be closed by then. */
  end(): void {
    clearImmediate(this.#soon);
    this.#soon = undefined;
  }

  #others(): LedgerRow[] {
    const others = this.following().filter(({ seq }) => !this.#ahead.has(seq));
    return others.slice(0, Math.max(0, together - this.#ahead.size));
  }

  #mark(rows: readonly LedgerRow[], sentAt: number): void {
    this.#ledger.depart(rows, sentAt);
  }

  /** Once what is leaving now has left: no request waits for it then. */
  #markSoon(sentAt: number): void {
    this.#soon ??= setImmediate(() => {
      this.#soon = undefined;
      const others = this.#others();
      if (others.length === 0) return;
      try {
        this.#mark(others, sentAt);
        for (const other of others) this.#ahead.set(other.seq, other);
      } catch (error) {
        // The next one to leave meets the same, where somebody can be told of it.
        if (!(error instanceof StorageFailure)) throw error;
      }
    });
  }
}
