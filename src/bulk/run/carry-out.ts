/** A ledger carried out: its rows sent a few at a time, results in their order, until nothing is left or the run has to stop. */
import { Failure } from '../../errors.ts';
import type { LedgerRow } from '../ledger/row.ts';
import { Departures, together } from './departures.ts';
import { type RowResult, resultOf } from './result.ts';
import { type Sending, sendRow } from './send-row.ts';
import { type Settling, settle } from './settle.ts';

export interface CarryOut extends Omit<Sending, 'departures'>, Settling {
  /** Requests in flight. */
  concurrency: number;
  /** Ends the run between two rows; what is in flight is for the session's own signal. */
  signal: AbortSignal;
  /** The run stops once more rows than this have failed. */
  maxErrors?: number | undefined;
  /** Waits until rows may be sent. */
  gate?: ((signal: AbortSignal) => Promise<void>) | undefined;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Told before each wait of the run itself. */
  onWait?: ((reason: string, ms: number) => void) | undefined;
}

/** Why a run has stopped before its end. */
export interface Stopped {
  failure: Failure;
}

/** As long as a request may be on its way at the service after the process that sent it is gone, in milliseconds. */
const settleAfter = 3000;

/** How often rows of unknown outcome are sent again. */
const mostTries = 4;

/** Faults in a row, each after a longer pause, before a run gives up: at first, and once something has been done. */
const pauses = { first: 500, longest: 60_000 };
const mostFaults = { first: 4, later: 19 };

/** Yields what becomes of each row, those included that are not sent. Answers why it stopped, where it did. */
export async function* carryOut(run: CarryOut): AsyncGenerator<RowResult, Stopped | undefined> {
  const state = new RunState(run);
  run.ledger.begin();
  yield* toldBefore(run);
  for (let round = 0; round <= mostTries && !state.stopped; round++) {
    yield* settleAll(run, state);
    if (run.ledger.count('planned') === 0) break;
    if (!state.stopped && round < mostTries) yield* sendAll(run, state);
  }
  for (const row of run.ledger.rows('unknown', 'sent')) yield resultOf(row);
  return state.stopped;
}

/** Rows that need no request: they are told in their order before anything is sent. */
function* toldBefore({ ledger }: CarryOut): Generator<RowResult> {
  if (ledger.fact('told') === true) return;
  for (const row of ledger.rows('bad', 'done'))
    if (row.state === 'bad' || row.action === 'skip') yield resultOf(row);
  ledger.setFact('told', true);
}

class RunState {
  readonly #run: CarryOut;
  stopped: Stopped | undefined;
  /** What nobody foresaw. */
  bug: { error: unknown } | undefined;
  #errors = 0;
  #done = 0;
  #faults = 0;

  constructor(run: CarryOut) {
    this.#run = run;
  }

  /** After each row: whether the run goes on, and how long it waits first. */
  async after(row: LedgerRow, failure: Failure | undefined): Promise<void> {
    if (failure === undefined) {
      this.#done++;
      this.#faults = 0;
      return;
    }
    if (endsRun(failure)) this.stop(failure);
    else if (failure.category === 'unavailable') await this.#pause(failure);
    if (row.state === 'failed') this.#errors++;
    if (this.#errors > (this.#run.maxErrors ?? Number.POSITIVE_INFINITY)) {
      this.stop(new Failure('partial', `${this.#errors} rows have failed, more than --max-errors allows.`));
    }
  }

  stop(failure: Failure): void {
    this.stopped ??= { failure };
  }

  async #pause(failure: Failure): Promise<void> {
    this.#faults++;
    if (this.#faults >= (this.#done === 0 ? mostFaults.first : mostFaults.later)) return this.stop(failure);
    const ms = Math.min(pauses.longest, pauses.first * 2 ** (this.#faults - 1));
    this.#run.onWait?.(failure.message, ms);
    await this.#run.sleep(ms, this.#run.signal).catch(() => undefined);
  }
}

function endsRun({ category }: Failure): boolean {
  return ['not_signed_in', 'not_allowed', 'interrupted', 'rate_limited'].includes(category);
}

/** Results come in the order of the rows, however their requests overtake each other. */
async function* sendAll(run: CarryOut, state: RunState): AsyncGenerator<RowResult> {
  const rows = run.ledger.rowsToSend();
  const comingUp: LedgerRow[] = [];
  const departures = new Departures(run.ledger, () => (state.stopped ? [] : comingUp));
  const queue: { row: LedgerRow; isOver: boolean }[] = [];
  const active = new Set<Promise<void>>();
  let isAtEnd = false;
  for (;;) {
    while (queue[0]?.isOver) {
      const row = queue.shift()?.row;
      if (row && (row.state === 'done' || row.state === 'failed')) yield resultOf(row);
    }
    if (state.bug) throw state.bug.error;
    if (run.signal.aborted) state.stop(interruption(run.signal));
    const hasMore = !isAtEnd || comingUp.length > 0;
    const mayStart = hasMore && !state.stopped && active.size < run.concurrency && queue.length < 200;
    if (!mayStart) {
      if (active.size === 0) {
        if (queue.length > 0) continue;
        departures.takeBack();
        return;
      }
      await Promise.race(active);
      continue;
    }
    if (run.gate) {
      await run.gate(run.signal).catch(() => undefined);
      if (run.signal.aborted) continue;
    }
    while (comingUp.length <= together && !isAtEnd) {
      const next = rows.next();
      if (next.done) isAtEnd = true;
      else comingUp.push(next.value);
    }
    const row = comingUp.shift();
    if (row) {
      const entry = { row, isOver: false };
      run.ledger.reach(comingUp.at(-1)?.seq ?? row.seq);
      queue.push(entry);
      const work = sendOne({ ...run, departures }, state, row).finally(() => {
        entry.isOver = true;
        active.delete(work);
      });
      active.add(work);
    }
  }
}

async function sendOne(run: Sending, state: RunState, row: LedgerRow): Promise<void> {
  try {
    const failure = await sendRow(row, run);
    await state.after(row, failure);
  } catch (error) {
    // A ledger that can’t be written stops the run: nothing leaves that it doesn’t know of.
    if (error instanceof Failure) state.stop(error);
    else state.bug ??= { error };
  }
}

/** What was sent and not answered: by this process, or by one that is gone. */
async function* settleAll(run: CarryOut, state: RunState): AsyncGenerator<RowResult> {
  for (const row of run.ledger.rows('sent', 'unknown')) {
    if (run.signal.aborted) state.stop(interruption(run.signal));
    if (state.stopped) return;
    const rest = (row.sentAt ?? 0) + settleAfter - run.now();
    if (rest > 0) await run.sleep(Math.min(rest, settleAfter), run.signal).catch(() => undefined);
    try {
      await settle(row, run);
      if (row.state === 'done') yield resultOf(row);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      await state.after(row, error);
    }
  }
}

function interruption({ reason }: AbortSignal): Failure {
  return reason instanceof Failure ? reason : new Failure('interrupted', 'Interrupted.');
}
