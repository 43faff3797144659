/** Defines the options of a run, and its state: it continues, pauses after a fault, or has stopped. */
import { Failure } from '../../base/errors.ts';
import { Concurrency, defaultConcurrency, maxDefaultConcurrency } from './concurrency.ts';
import type { LedgerRow } from './ledger/row.ts';
import type { DescribeChange } from './recheck-rows.ts';
import type { ReconcileContext } from './reconcile.ts';
import { endsWholeRun, type SendContext } from './send-row.ts';
import { sleep } from './sleep.ts';

/** The options for executing a run. */
export interface ExecutionOptions
  extends Omit<SendContext, 'writeAhead' | 'resolver' | 'isResumed'>,
    Omit<ReconcileContext, 'resolver'> {
  /** How many requests are in progress; by default a few at first, and more if the service doesn't slow down. */
  concurrency?: number | undefined;
  /** Ends the run between two rows. Requests in progress are canceled by the session's own signal. */
  signal: AbortSignal;
  /** Set if records can be compared again before anything is sent. This is done if the plan isn't new. */
  describeChange?: DescribeChange | undefined;
  /** Whether the run is resumed, so that its plan isn't new. */
  isPlannedBefore?: boolean | undefined;
  /** The run stops once more rows than this have failed. */
  maxErrors?: number | undefined;
  /**
   * Waits until rows may be sent or the signal aborts, and returns whether it had to wait. The promise of `idle`
   * resolves when no request is in progress.
   */
  gate?: ((signal: AbortSignal, idle: () => Promise<unknown>) => Promise<boolean>) | undefined;
  /** Waits like `sleep` in `sleep.ts`, which is the default. */
  sleep?(ms: number, signal: AbortSignal): Promise<void>;
  /** Called before each pause of the run, with the reason and the duration in ms. */
  onWait?: ((reason: string, ms: number) => void) | undefined;
}

/** The reason why a run has stopped before its end. */
export interface StoppedEarly {
  failure: Failure;
}

/**
 * The pauses after consecutive faults, in ms (each is longer than the previous one), and the number of faults after
 * which a run stops: before and after the first row is done.
 */
const pauses = { firstMs: 500, maxMs: 60_000 };
const maxFaults = { beforeFirstRow: 4, afterFirstRow: 19 };

/** Counts results and faults of a run, and decides whether it continues. */
export class RunState {
  readonly #run: ExecutionOptions;
  readonly concurrency: Concurrency;
  stopped: StoppedEarly | undefined;
  /** An unexpected error, which is a bug. */
  bug: { error: unknown } | undefined;
  #errors = 0;
  #done = 0;
  #faults = 0;
  /**
   * The time at which the first of a group of concurrent requests failed, and the number of failed requests in the
   * group.
   */
  #groupStartedAt = Number.NEGATIVE_INFINITY;
  #groupFailures = 0;

  constructor(run: ExecutionOptions) {
    this.#run = run;
    // A whole record contains links, which other rows could change between its read and its update.
    const replaces = run.session.settings.wire.put === 'replace';
    const fixed = replaces ? 1 : run.concurrency;
    this.concurrency =
      fixed === undefined
        ? new Concurrency(defaultConcurrency, maxDefaultConcurrency)
        : new Concurrency(fixed);
  }

  /**
   * Records the outcome of a row whose request began at `startedAt` (of `performance.now()`). Stops or pauses the run.
   */
  async recordOutcome(row: LedgerRow, failure: Failure | undefined, startedAt: number): Promise<void> {
    if (failure === undefined) {
      this.concurrency.recordSuccess(performance.now() - startedAt);
      this.#done++;
      this.#faults = 0;
      return;
    }
    if (failure.category === 'unavailable' || failure.category === 'rate_limited')
      this.concurrency.recordFailure();
    if (endsWholeRun(failure)) this.stop(failure);
    else if (failure.category === 'unavailable') await this.#pause(failure, startedAt);
    if (row.state === 'failed') this.countFailure();
  }

  countFailure(): void {
    this.#errors++;
    if (this.#errors > (this.#run.maxErrors ?? Number.POSITIVE_INFINITY)) {
      this.stop(new Failure('partial', `${this.#errors} rows have failed, more than --max-errors allows.`));
    }
  }

  stop(failure: Failure): void {
    this.stopped ??= { failure };
  }

  async #pause(failure: Failure, startedAt: number): Promise<void> {
    this.#countFault(startedAt);
    if (this.#faults >= (this.#done === 0 ? maxFaults.beforeFirstRow : maxFaults.afterFirstRow))
      return this.stop(failure);
    // The service can be reached and sends an unexpected response: waiting doesn't help.
    if (failure.details.unexpectedResponse) return;
    const ms = Math.min(pauses.maxMs, pauses.firstMs * 2 ** (this.#faults - 1));
    this.#run.onWait?.(failure.message, ms);
    await (this.#run.sleep ?? sleep)(ms, this.#run.signal);
  }

  /**
   * Counts requests that were in progress together as one group, so that the number of faults doesn't depend on the
   * concurrency.
   */
  #countFault(startedAt: number): void {
    if (startedAt > this.#groupStartedAt)
      [this.#groupStartedAt, this.#groupFailures] = [performance.now(), 0];
    this.#groupFailures++;
    if (this.#groupFailures <= (this.#run.concurrency ?? defaultConcurrency)) this.#faults++;
  }
}

export function interruption({ reason }: AbortSignal): Failure {
  return reason instanceof Failure ? reason : new Failure('interrupted', 'Interrupted.');
}
