/** The options and the state of a run that is carried out: whether it continues, pauses after a fault, or has stopped. */
import { Failure } from '../base/errors.ts';
import { Concurrency } from './concurrency.ts';
import type { LedgerRow } from './ledger/row.ts';
import type { WhoChanged } from './recheck-rows.ts';
import type { Reconciling } from './reconcile.ts';
import { isOfTheRun, type Sending } from './send-row.ts';

/** The options of a run that is carried out. */
export interface CarryOut
  extends Omit<Sending, 'writeAhead' | 'others' | 'isResumed'>,
    Omit<Reconciling, 'others'> {
  /** How many requests are in progress at first; the number may grow. */
  concurrency: number;
  /** The maximum number of requests in progress, which is reached only if the service doesn't slow down. */
  mostConcurrent?: number | undefined;
  /** Ends the run between two rows. Requests in progress are canceled by the session's own signal. */
  signal: AbortSignal;
  /** Set if records can be compared again before anything is sent, which is done whenever the plan isn't new. */
  whoChanged?: WhoChanged | undefined;
  /** Whether the run is resumed, so that its plan isn't new. */
  isPlannedBefore?: boolean | undefined;
  /** The run stops once more rows than this have failed. */
  maxErrors?: number | undefined;
  /**
   * Waits until rows may be sent or the signal aborts, and returns whether it had to wait. The promise of `idle`
   * resolves when no request is in progress.
   */
  gate?: ((signal: AbortSignal, idle: () => Promise<unknown>) => Promise<boolean>) | undefined;
  /** Waits as `sleep` of `sleep.ts` does. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Called before each pause of the run, with the reason and the duration in ms. */
  onWait?: ((reason: string, ms: number) => void) | undefined;
}

/** Why a run has stopped before its end. */
export interface Stopped {
  failure: Failure;
}

/**
 * The pauses after consecutive faults, in ms, each longer than the one before, and the number of faults at which a run
 * gives up: before and after the first row that is done.
 */
const pauses = { first: 500, longest: 60_000 };
const maxFaults = { first: 4, later: 19 };

/** Counts results and faults of a run, and decides whether it continues. */
export class RunState {
  readonly #run: CarryOut;
  readonly concurrency: Concurrency;
  stopped: Stopped | undefined;
  /** An unexpected error, which is a bug. */
  bug: { error: unknown } | undefined;
  #errors = 0;
  #done = 0;
  #faults = 0;
  /** When the first of a group of concurrent requests failed, and how many of the group have failed. */
  #waveBegan = Number.NEGATIVE_INFINITY;
  #inWave = 0;

  constructor(run: CarryOut) {
    this.#run = run;
    this.concurrency = new Concurrency(run.concurrency, run.mostConcurrent);
  }

  /** Records the outcome of a row that began at `began` (of `performance.now()`): stops the run or pauses if necessary. */
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
    if (this.#faults >= (this.#done === 0 ? maxFaults.first : maxFaults.later)) return this.stop(failure);
    // The service can be reached and answers something unexpected: waiting doesn't change that.
    if (failure.details.answered) return;
    const ms = Math.min(pauses.longest, pauses.first * 2 ** (this.#faults - 1));
    this.#run.onWait?.(failure.message, ms);
    await this.#run.sleep(ms, this.#run.signal);
  }

  /**
   * Counts requests that were in progress together as one group, so that the number of faults doesn't depend on the
   * concurrency.
   */
  #count(began: number): void {
    if (began > this.#waveBegan) [this.#waveBegan, this.#inWave] = [performance.now(), 0];
    this.#inWave++;
    if (this.#inWave <= this.#run.concurrency) this.#faults++;
  }
}

/** Returns the failure of a run whose signal was aborted. */
export function interruption({ reason }: AbortSignal): Failure {
  return reason instanceof Failure ? reason : new Failure('interrupted', 'Interrupted.');
}
