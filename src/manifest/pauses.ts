/** Pauses in long work on many records, so that the process can handle a signal. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** The longest time in milliseconds for which the work delays the handling of a signal. */
const maxWorkMs = 50;

/** Measures the time since the last pause, and pauses. */
export class Pauses {
  readonly #signal: AbortSignal | undefined;
  #since = performance.now();

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
  }

  /** Whether a pause is due. The caller checks it often, and awaits `take` if it is true. */
  get isDue(): boolean {
    return performance.now() - this.#since > maxWorkMs;
  }

  /** Lets the process handle events. Throws the signal's reason if the signal is aborted. */
  async take(): Promise<void> {
    await nextTurn();
    this.#signal?.throwIfAborted();
    this.#since = performance.now();
  }

  /** Pauses if a pause is due. */
  async takeIfDue(): Promise<void> {
    if (this.isDue) await this.take();
  }
}
