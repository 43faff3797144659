/**
 * Sends the planned rows in one pass, several at once. Rows wait for rows that they refer to, and results come in the
 * order of the rows.
 */
import { Failure } from '../base/errors.ts';
import { StorageFailure } from '../storage/failures.ts';
import type { LedgerRow } from './ledger/row.ts';
import type { ReferenceResolver } from './reference-resolver.ts';
import { type RowResult, resultOf } from './result.ts';
import { type ExecutionOptions, interruption, type RunState } from './run-state.ts';
import { type SendContext, sendRow, writesOf } from './send-row.ts';
import { maxBatchRows, WriteAhead } from './write-ahead.ts';

type PassOptions = ExecutionOptions & { resolver: ReferenceResolver; isResumed: boolean };

/**
 * The result of a pass: how many rows have ended, and how many were postponed because they wait for a row that isn't
 * being sent.
 */
export interface PassResult {
  ended: number;
  postponed: number;
  /** Whether the pass ended early because the run had to wait for its hours. Records may have changed in that time. */
  hasWaited: boolean;
}

/** A row in a pass. */
interface QueueEntry {
  row: LedgerRow;
  isEnded: boolean;
  /** The numbers of the rows that must end before this row is checked again. */
  waitsFor: readonly number[];
}

/**
 * The maximum number of rows in memory, so that results come in order, and the maximum number of rows that wait for
 * others.
 */
const maxQueuedRows = 200;
const maxWaitingRows = 100;

/** Sends the planned rows and yields results in the order of the rows, even if responses come in another order. */
export async function* sendAll(run: PassOptions, state: RunState): AsyncGenerator<RowResult, PassResult> {
  const queue = new Queue(run, state);
  const writeAhead = new WriteAhead({
    ledger: run.ledger,
    upcoming: () => (state.stopped ? [] : queue.upcoming.filter((row) => run.resolver.isReady(row))),
    announce: (rows) => run.session.runs.announce(writesOf(rows, run)),
    now: run.now,
  });
  const activeRequests = new Set<Promise<void>>();
  for (;;) {
    yield* queue.endedResults();
    if (state.bug) throw state.bug.error;
    if (run.signal.aborted) state.stop(interruption(run.signal));
    if (
      !state.stopped &&
      !queue.result.hasWaited &&
      activeRequests.size < state.concurrency.limit &&
      queue.hasMore()
    ) {
      if (run.gate) {
        queue.result.hasWaited = await run.gate(run.signal, () => Promise.all(activeRequests));
        if (queue.result.hasWaited) continue;
      }
      const entry = nextEntry(queue, state);
      if (entry) {
        const work = sendEntry({ ...run, writeAhead }, state, entry.row).finally(() => {
          queue.end(entry);
          activeRequests.delete(work);
        });
        activeRequests.add(work);
        continue;
      }
    }
    if (activeRequests.size > 0) await Promise.race(activeRequests);
    else if (state.stopped || queue.result.hasWaited || !queue.hasMore()) break;
  }
  queue.close();
  yield* queue.endedResults();
  stopOnStorageFailure(state, () => writeAhead.resetUnsent());
  return queue.result;
}

/** Returns the next row; undefined if no row can be sent now, or if the ledger can no longer be read or written. */
function nextEntry(queue: Queue, state: RunState): QueueEntry | undefined {
  let entry: QueueEntry | undefined;
  stopOnStorageFailure(state, () => {
    entry = queue.next();
  });
  return entry;
}

/**
 * Runs work on the ledger. If the ledger fails, the run stops, but the results of requests in progress are still
 * reported.
 */
function stopOnStorageFailure(state: RunState, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof StorageFailure)) throw error;
    state.stop(error);
  }
}

/** The queue of planned rows: the next row, the waiting rows, and the ended rows. */
class Queue {
  readonly upcoming: LedgerRow[] = [];
  readonly result: PassResult = { ended: 0, postponed: 0, hasWaited: false };
  readonly #run: PassOptions;
  readonly #state: RunState;
  readonly #rows: Iterator<LedgerRow>;
  readonly #entries: QueueEntry[] = [];
  readonly #inFlight = new Set<number>();
  #waiting: QueueEntry[] = [];
  #isAtEnd = false;
  /** Whether a row has ended since the waiting rows were last checked. */
  #hasNewlyEnded = false;

  constructor(run: PassOptions, state: RunState) {
    this.#run = run;
    this.#state = state;
    this.#rows = run.ledger.rowsToSend();
  }

  hasMore(): boolean {
    return this.#canTake() || (this.#waiting.length > 0 && this.#hasNewlyEnded);
  }

  /** Returns the next row that can be sent; undefined if all remaining rows wait, or if too many rows are in memory. */
  next(): QueueEntry | undefined {
    const waitingEntry = this.#hasNewlyEnded ? this.#nextWaiting() : undefined;
    if (waitingEntry) return waitingEntry;
    while (this.#canTake() && !this.#state.stopped) {
      const row = this.#take();
      if (!row) return undefined;
      const entry = { row, isEnded: false, waitsFor: [] };
      this.#entries.push(entry);
      this.#inFlight.add(row.seq);
      if (this.#isReady(entry)) return entry;
    }
    return undefined;
  }

  end(entry: QueueEntry): void {
    entry.isEnded = true;
    this.#inFlight.delete(entry.row.seq);
    this.#hasNewlyEnded = true;
    this.#run.resolver.rememberId(entry.row);
  }

  /** Ends the pass for rows that still wait. */
  close(): void {
    for (const entry of this.#waiting) entry.isEnded = true;
  }

  /** Yields the results of ended rows, up to the first row that hasn't ended. */
  *endedResults(): Generator<RowResult> {
    while (this.#entries[0]?.isEnded) {
      const row = this.#entries.shift()?.row;
      if (row?.state !== 'done' && row?.state !== 'failed') continue;
      this.result.ended++;
      yield resultOf(row);
    }
  }

  #canTake(): boolean {
    const hasRows = !this.#isAtEnd || this.upcoming.length > 0;
    return hasRows && this.#entries.length < maxQueuedRows && this.#waiting.length < maxWaitingRows;
  }

  #take(): LedgerRow | undefined {
    while (this.upcoming.length <= maxBatchRows && !this.#isAtEnd) {
      const nextRow = this.#rows.next();
      if (nextRow.done) this.#isAtEnd = true;
      else this.upcoming.push(nextRow.value);
    }
    return this.upcoming.shift();
  }

  #nextWaiting(): QueueEntry | undefined {
    while (this.#hasNewlyEnded) {
      this.#hasNewlyEnded = false;
      for (const entry of this.#waiting) {
        if (entry.waitsFor.some((seq) => this.#inFlight.has(seq))) continue;
        this.#waiting = this.#waiting.filter((other) => other !== entry);
        this.#hasNewlyEnded = true;
        if (this.#isReady(entry)) return entry;
      }
    }
    return undefined;
  }

  /**
   * Returns whether the row can be sent now. Otherwise the row waits, is postponed, or fails because a row that it
   * refers to has failed.
   */
  #isReady(entry: QueueEntry): boolean {
    const { row } = entry;
    const readiness = this.#run.resolver.readiness(row);
    if (readiness.status === 'ready') return true;
    if (readiness.status === 'failed') {
      Object.assign(row, { state: 'failed', error: readiness.error });
      this.#run.ledger.change(row.seq, { state: 'failed', error: readiness.error });
      this.#state.countFailure();
      this.end(entry);
      return false;
    }
    entry.waitsFor = readiness.blockers.map(({ seq }) => seq);
    if (entry.waitsFor.every((seq) => this.#inFlight.has(seq))) this.#waiting.push(entry);
    else {
      this.result.postponed++;
      this.end(entry);
    }
    return false;
  }
}

async function sendEntry(run: SendContext, state: RunState, row: LedgerRow): Promise<void> {
  const startedAt = performance.now();
  try {
    const failure = await sendRow(row, run);
    await state.recordOutcome(row, failure, startedAt);
  } catch (error) {
    // If the ledger can't be written, the run stops: every request must be in the ledger before it is sent.
    if (error instanceof Failure) state.stop(error);
    else state.bug ??= { error };
  }
}
