/**
 * Implements the write-ahead log of a run: rows and their history entries are recorded before they are sent, a batch in one
 * transaction.
 */
import type { Ledger } from './ledger/ledger.ts';
import type { LedgerRow } from './ledger/row.ts';

/**
 * The number of rows that are recorded at a time. After a crash, at most this many rows that were never sent are
 * recorded as sent and have to be looked up.
 */
export const maxBatchRows = 16;

export interface WriteAheadOptions {
  ledger: Ledger;
  /** Returns the rows that are sent next, in order. None of them has begun. */
  upcoming(): readonly LedgerRow[];
  /** Announces the writes of rows to the session's observers, whose entries `recordRows` records with the rows. */
  announce(rows: readonly LedgerRow[], recordRows: (recordEntries: () => void) => void): Promise<void>;
  /** Returns milliseconds since 1970. */
  now(): number;
}

/** Records rows before they are sent. */
export class WriteAhead {
  readonly #options: WriteAheadOptions;
  /** Rows that were recorded and have not begun, with the promise that resolves when their batch is recorded. */
  readonly #recorded = new Map<LedgerRow, Promise<void>>();

  constructor(options: WriteAheadOptions) {
    this.#options = options;
  }

  /**
   * Records the next step of a row before it is sent, together with the rows after it, unless an earlier batch
   * contained it. Rejects if the batch can't be recorded; the row must then not be sent.
   */
  record(row: LedgerRow): Promise<void> {
    const recording = this.#recorded.get(row) ?? this.#recordBatch(row);
    this.#recorded.delete(row);
    return recording;
  }

  /** Records the time when a row is sent. It is written with the next change. */
  markSent(row: LedgerRow): void {
    const sentAt = this.#options.now();
    Object.assign(row, { state: 'sent', sentAt, tries: row.tries + 1 });
    this.#options.ledger.changeLater(row.seq, { sentAt });
  }

  /** Sets rows that were recorded and not sent to planned again, because the run has stopped. */
  resetUnsent(): void {
    const { ledger } = this.#options;
    ledger.write(() => {
      for (const { seq } of this.#recorded.keys()) ledger.change(seq, { state: 'planned', sentAt: null });
    });
    this.#recorded.clear();
  }

  #recordBatch(row: LedgerRow): Promise<void> {
    const nextRows = this.#options.upcoming().filter((next) => !this.#recorded.has(next));
    const batch = [row, ...nextRows.slice(0, Math.max(0, maxBatchRows - 1 - this.#recorded.size))];
    const recording = this.#recordAll(batch);
    for (const batchRow of batch) this.#recorded.set(batchRow, recording);
    return recording;
  }

  async #recordAll(batch: readonly LedgerRow[]): Promise<void> {
    const { ledger, announce, now } = this.#options;
    try {
      await announce(batch, (recordEntries) => ledger.writeAhead(batch, now(), recordEntries));
    } catch (error) {
      for (const row of batch) this.#recorded.delete(row);
      throw error;
    }
  }
}
