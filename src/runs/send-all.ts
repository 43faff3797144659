/** One pass over the planned rows: several are sent at once, those that wait for others in between, results in their order. */
import { Failure } from '../base/errors.ts';
import { StorageFailure } from '../storage/failures.ts';
import type { LedgerRow } from './ledger/row.ts';
import type { OtherRows } from './other-rows.ts';
import { type RowResult, resultOf } from './result.ts';
import { type CarryOut, interruption, type RunState } from './run-state.ts';
import { type Sending, sendRow, writesOf } from './send-row.ts';
import { maxBatchRows, WriteAhead } from './write-ahead.ts';

type Pass = CarryOut & { others: OtherRows; isResumed: boolean };

/** What a pass came to: rows that are over, and rows that were left as they wait for one that isn’t under way. */
export interface Passed {
  ended: number;
  postponed: number;
  /** Whether rows are left because nothing could be sent for a while: they may have changed. */
  hasWaited: boolean;
}

/** A row on its way through a pass. */
interface Entry {
  row: LedgerRow;
  isOver: boolean;
  /** The rows, by their numbers, that have to be over before it is looked at again. */
  waitsFor: readonly number[];
}

/** Rows whose results are held back so that they come in order, and rows among them that wait for others. */
const mostQueued = 200;
const mostParked = 100;

/** Results come in the order of the rows, however their requests overtake each other. */
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

/** Undefined where nothing can be sent now; or at all, as the ledger can't be read or written any more. */
function nextOf(queue: Queue, state: RunState): Entry | undefined {
  let entry: Entry | undefined;
  stopWhereUnwritten(state, () => {
    entry = queue.next();
  });
  return entry;
}

/** A ledger that fails stops the run: what is in flight is waited for all the same, and reported. */
function stopWhereUnwritten(state: RunState, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof StorageFailure)) throw error;
    state.stop(error);
  }
}

/** The planned rows in their order: which of them is sent next, which wait, and which are over. */
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
  /** Whether a row has ended since those that wait were looked at. */
  #isNews = false;

  constructor(run: Pass, state: RunState) {
    this.#run = run;
    this.#state = state;
    this.#rows = run.ledger.rowsToSend();
  }

  hasMore(): boolean {
    return this.#canDraw() || (this.#parked.length > 0 && this.#isNews);
  }

  /** The next one that can be sent; undefined where all that are left, or may be looked at, wait. */
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

  /** Those that still wait have no turn any more. */
  close(): void {
    for (const entry of this.#parked) entry.isOver = true;
  }

  /** What became of the rows that no other one is before any more. */
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
    return hasRows && this.#entries.length < mostQueued && this.#parked.length < mostParked;
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

  /** Whether it is to be sent now; else it is parked, postponed or failed, as those are that it refers to. */
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
    // A ledger that can’t be written stops the run: nothing leaves that it doesn’t know of.
    if (error instanceof Failure) state.stop(error);
    else state.bug ??= { error };
  }
}
