/** What a run is carried out with, and how it is doing: whether it goes on, pauses after a fault, or has stopped. */
import { Failure } from '../../errors.ts';
import type { LedgerRow } from '../ledger/row.ts';
import type { WhoChanged } from './compare-again.ts';
import { isOfTheRun } from './of-the-run.ts';
import type { Sending } from './send-row.ts';
import type { Settling } from './settle.ts';

export interface CarryOut
  extends Omit<Sending, 'departures' | 'others' | 'isResumed'>,
    Omit<Settling, 'others'> {
  /** Requests in flight. */
  concurrency: number;
  /** Ends the run between two rows; what is in flight is for the session's own signal. */
  signal: AbortSignal;
  /** Given where records can be compared again before anything is sent: they are wherever the plan is from a while ago. */
  whoChanged?: WhoChanged | undefined;
  /** Whether the run is gone on with, so that its plan is from a while ago at once. */
  isPlannedBefore?: boolean | undefined;
  /** The run stops once more rows than this have failed. */
  maxErrors?: number | undefined;
  /** Waits until rows may be sent; answers whether it has waited at all. */
  gate?: ((signal: AbortSignal) => Promise<boolean>) | undefined;
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
    if (isOfTheRun(failure)) this.stop(failure);
    else if (failure.category === 'unavailable') await this.#pause(failure);
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

  async #pause(failure: Failure): Promise<void> {
    this.#faults++;
    if (this.#faults >= (this.#done === 0 ? mostFaults.first : mostFaults.later)) return this.stop(failure);
    const ms = Math.min(pauses.longest, pauses.first * 2 ** (this.#faults - 1));
    this.#run.onWait?.(failure.message, ms);
    await this.#run.sleep(ms, this.#run.signal).catch(() => undefined);
  }
}

export function interruption({ reason }: AbortSignal): Failure {
  return reason instanceof Failure ? reason : new Failure('interrupted', 'Interrupted.');
}
