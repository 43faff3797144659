/** What a run is carried out with, and how it is doing: whether it goes on, pauses after a fault, or has stopped. */
import { Failure } from '../base/errors.ts';
import type { WhoChanged } from './compare-again.ts';
import { Concurrency } from './concurrency.ts';
import type { LedgerRow } from './ledger/row.ts';
import type { Reconciling } from './reconcile.ts';
import { isOfTheRun, type Sending } from './send-row.ts';

export interface CarryOut
  extends Omit<Sending, 'writeAhead' | 'others' | 'isResumed'>,
    Omit<Reconciling, 'others'> {
  /** Requests in flight: at first, where they may become more. */
  concurrency: number;
  /** As many as they may become, where the service is no slower for it. */
  mostConcurrent?: number | undefined;
  /** Ends the run between two rows; what is in flight is for the session's own signal. */
  signal: AbortSignal;
  /** Given where records can be compared again before anything is sent: they are wherever the plan is from a while ago. */
  whoChanged?: WhoChanged | undefined;
  /** Whether the run is gone on with, so that its plan is from a while ago at once. */
  isPlannedBefore?: boolean | undefined;
  /** The run stops once more rows than this have failed. */
  maxErrors?: number | undefined;
  /**
   * Waits until rows may be sent, or the signal aborts; answers whether it has waited at all. `idle` settles once nothing
   * is in flight.
   */
  gate?: ((signal: AbortSignal, idle: () => Promise<unknown>) => Promise<boolean>) | undefined;
  /** As `sleep.ts` has it. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Told before each wait of the run itself. */
  onWait?: ((reason: string, ms: number) => void) | undefined;
}

/** Why a run has stopped before its end. */
export interface Stopped {
  failure: Failure;
}

/** Faults in a row, each after a longer pause, before a run gives up: at first, and once something has been done. */
const pauses = { first: 500, longest: 60_000 };
const mostFaults = { first: 4, later: 19 };

export class RunState {
  readonly #run: CarryOut;
  readonly concurrency: Concurrency;
  stopped: Stopped | undefined;
  /** What nobody foresaw. */
  bug: { error: unknown } | undefined;
  #errors = 0;
  #done = 0;
  #faults = 0;
  /** When the first of those failed that were in flight together, and how many of them have. */
  #waveBegan = Number.NEGATIVE_INFINITY;
  #inWave = 0;

  constructor(run: CarryOut) {
    this.#run = run;
    this.concurrency = new Concurrency(run.concurrency, run.mostConcurrent);
  }

  /** After each row, which was begun at `began` of `performance.now()`: whether the run goes on, and how long it waits first. */
  async after(row: LedgerRow, failure: Failure | undefined, began: number): Promise<void> {
    if (failure === undefined) {
      this.concurrency.arrived(performance.now() - began);
      this.#done++;
      this.#faults = 0;
      return;
    }
    if (failure.category === 'unavailable' || failure.category === 'rate_limited') this.concurrency.failed();
    if (isOfTheRun(failure)) this.stop(failure);
    else if (failure.category === 'unavailable') await this.#pause(failure, began);
    if (row.state === 'failed') this.noteFailed();
  }

  noteFailed(): void {
    this.#errors++;
    if (this.#errors > (this.#run.maxErrors ?? Number.POSITIVE_INFINITY)) {
      this.stop(new Failure('partial', `${this.#errors} rows have failed, more than --max-errors allows.`));
    }
  }

  stop(failure: Failure): void {
    this.stopped ??= { failure };
  }

  async #pause(failure: Failure, began: number): Promise<void> {
    this.#count(began);
    if (this.#faults >= (this.#done === 0 ? mostFaults.first : mostFaults.later)) return this.stop(failure);
    // The service is there, and answers something else: waiting doesn't change that.
    if (failure.details.answered) return;
    const ms = Math.min(pauses.longest, pauses.first * 2 ** (this.#faults - 1));
    this.#run.onWait?.(failure.message, ms);
    await this.#run.sleep(ms, this.#run.signal);
  }

  /** What was in flight together fails together: however many that are, an outage is borne for as long as one of a few. */
  #count(began: number): void {
    if (began > this.#waveBegan) [this.#waveBegan, this.#inWave] = [performance.now(), 0];
    this.#inWave++;
    if (this.#inWave <= this.#run.concurrency) this.#faults++;
  }
}

export function interruption({ reason }: AbortSignal): Failure {
  return reason instanceof Failure ? reason : new Failure('interrupted', 'Interrupted.');
}
