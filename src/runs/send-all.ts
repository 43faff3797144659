/**
 * Makes one pass over the planned rows: sends several at once, lets rows wait for others, and yields results in their
 * order.
 */
import { Failure } from '../base/errors.ts';
import { StorageFailure } from '../storage/failures.ts';
import type { LedgerRow } from './ledger/row.ts';
import type { OtherRows } from './other-rows.ts';
import { type RowResult, resultOf } from './result.ts';
import { type CarryOut, interruption, type RunState } from './run-state.ts';
import { type Sending, sendRow, writesOf } from './send-row.ts';
import { maxBatchRows, WriteAhead } from './write-ahead.ts';

type Pass = CarryOut & { others: OtherRows; isResumed: boolean };

/**
 * The result of a pass: how many rows have ended, and how many were postponed because they wait for a row that isn't
 * being sent.
 */
export interface Passed {
  ended: number;
  postponed: number;
  /** Whether the pass ended early because the run had to wait for its hours: records may have changed meanwhile. */
  hasWaited: boolean;
}

/** A row in a pass. */
interface Entry {
  row: LedgerRow;
  isOver: boolean;
  /** The numbers of the rows that have to end before this one is checked again. */
  waitsFor: readonly number[];
}

/** How many rows are kept so that results come in order, and how many of them may wait for others. */
const maxQueuedRows = 200;
const maxParkedRows = 100;

/** Sends the planned rows and yields results in the order of the rows, in whatever order the answers come. */
export async function* sendAll(run: Pass, state: RunState): AsyncGenerator<RowResult, Passed> {
  const queue = new Queue(run, state);
  const writeAhead = new WriteAhead({
    ledger: run.ledger,
    upcoming: () => (state.stopped ? [] : queue.comingUp.filter((row) => run.others.isReady(row))),
    announce: (rows) => run.session.runs.announce(writesOf(rows, run)),
    now: run.now,
  });
  const active = new Set<Promise<void>>();
  for (;;) {
    yield* queue.over();
    if (state.bug) throw state.bug.error;
    if (run.signal.aborted) state.stop(interruption(run.signal));
    if (!state.stopped && !queue.passed.hasWaited && active.size < state.concurrency.now && queue.hasMore()) {
      if (run.gate) {
        queue.passed.hasWaited = await run.gate(run.signal, () => Promise.all(active));
        if (queue.passed.hasWaited) continue;
      }
      const entry = nextOf(queue, state);
      if (entry) {
        const work = sendOne({ ...run, writeAhead }, state, entry.row).finally(() => {
          queue.end(entry);
          active.delete(work);
        });
        active.add(work);
        continue;
      }
    }
    if (active.size > 0) await Promise.race(active);
    else if (state.stopped || queue.passed.hasWaited || !queue.hasMore()) break;
  }
  queue.close();
  yield* queue.over();
  stopWhereUnwritten(state, () => writeAhead.withdraw());
  return queue.passed;
}

/** Returns the next row; undefined if none can be sent now, or if the ledger can no longer be read or written. */
function nextOf(queue: Queue, state: RunState): Entry | undefined {
  let entry: Entry | undefined;
  stopWhereUnwritten(state, () => {
    entry = queue.next();
  });
  return entry;
}

/** Does work on the ledger. If the ledger fails, the run stops, but requests in progress are still awaited and reported. */
function stopWhereUnwritten(state: RunState, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof StorageFailure)) throw error;
    state.stop(error);
  }
}

/** The planned rows in their order: which is sent next, which ones wait, and which ones are over. */
class Queue {
  readonly comingUp: LedgerRow[] = [];
  readonly passed: Passed = { ended: 0, postponed: 0, hasWaited: false };
  readonly #run: Pass;
  readonly #state: RunState;
  readonly #rows: Iterator<LedgerRow>;
  readonly #entries: Entry[] = [];
  readonly #underWay = new Set<number>();
  #parked: Entry[] = [];
  #isAtEnd = false;
  /** Whether a row has ended since the waiting rows were last checked. */
  #isNews = false;

  constructor(run: Pass, state: RunState) {
    this.#run = run;
    this.#state = state;
    this.#rows = run.ledger.rowsToSend();
  }

  hasMore(): boolean {
    return this.#canDraw() || (this.#parked.length > 0 && this.#isNews);
  }

  /** Returns the next row that can be sent; undefined if all remaining rows wait, or if the limits are reached. */
  next(): Entry | undefined {
    const parked = this.#isNews ? this.#nextParked() : undefined;
    if (parked) return parked;
    while (this.#canDraw() && !this.#state.stopped) {
      const row = this.#draw();
      if (!row) return undefined;
      const entry = { row, isOver: false, waitsFor: [] };
      this.#entries.push(entry);
      this.#underWay.add(row.seq);
      if (this.#isSent(entry)) return entry;
    }
    return undefined;
  }

  end(entry: Entry): void {
    entry.isOver = true;
    this.#underWay.delete(entry.row.seq);
    this.#isNews = true;
    this.#run.others.note(entry.row);
  }

  /** Ends the pass for rows that still wait. */
  close(): void {
    for (const entry of this.#parked) entry.isOver = true;
  }

  /** Yields the results of rows that have ended, up to the first that hasn't. */
  *over(): Generator<RowResult> {
    while (this.#entries[0]?.isOver) {
      const row = this.#entries.shift()?.row;
      if (row?.state !== 'done' && row?.state !== 'failed') continue;
      this.passed.ended++;
      yield resultOf(row);
    }
  }

  #canDraw(): boolean {
    const hasRows = !this.#isAtEnd || this.comingUp.length > 0;
    return hasRows && this.#entries.length < maxQueuedRows && this.#parked.length < maxParkedRows;
  }

  #draw(): LedgerRow | undefined {
    while (this.comingUp.length <= maxBatchRows && !this.#isAtEnd) {
      const next = this.#rows.next();
      if (next.done) this.#isAtEnd = true;
      else this.comingUp.push(next.value);
    }
    return this.comingUp.shift();
  }

  #nextParked(): Entry | undefined {
    while (this.#isNews) {
      this.#isNews = false;
      for (const entry of this.#parked) {
        if (entry.waitsFor.some((seq) => this.#underWay.has(seq))) continue;
        this.#parked = this.#parked.filter((other) => other !== entry);
        this.#isNews = true;
        if (this.#isSent(entry)) return entry;
      }
    }
    return undefined;
  }

  /**
   * Returns whether the row is to be sent now. Otherwise it waits, is postponed, or fails because a row that it refers
   * to has failed.
   */
  #isSent(entry: Entry): boolean {
    const { row } = entry;
    const readiness = this.#run.others.readiness(row);
    if (readiness.is === 'ready') return true;
    if (readiness.is === 'lost') {
      Object.assign(row, { state: 'failed', error: readiness.error });
      this.#run.ledger.change(row.seq, { state: 'failed', error: readiness.error });
      this.#state.noteFailed();
      this.end(entry);
      return false;
    }
    entry.waitsFor = readiness.for.map(({ seq }) => seq);
    if (entry.waitsFor.every((seq) => this.#underWay.has(seq))) this.#parked.push(entry);
    else {
      this.passed.postponed++;
      this.end(entry);
    }
    return false;
  }
}

async function sendOne(run: Sending, state: RunState, row: LedgerRow): Promise<void> {
  const began = performance.now();
  try {
    const failure = await sendRow(row, run);
    await state.after(row, failure, began);
  } catch (error) {
    // A ledger that can't be written stops the run: no request is sent that it doesn't contain.
    if (error instanceof Failure) state.stop(error);
    else state.bug ??= { error };
  }
}
