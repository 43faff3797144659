/** Pauses in long work on many records, so that the process can handle a signal. */
import { setImmediate as waitForEvents } from 'node:timers/promises';

/** The maximum time in milliseconds for which the work delays the handling of a signal. */
const maxWorkMs = 50;

/** Measures the time since the last pause, and pauses. */
export class Pauses {
  readonly #signal: AbortSignal | undefined;
  #lastPauseMs = performance.now();

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
  }

  /** Whether a pause is due. The caller checks it often, and awaits `pause` if it is true. */
  get isDue(): boolean {
    return performance.now() - this.#lastPauseMs > maxWorkMs;
  }

  /** Lets the process handle events. Throws the signal's reason if the signal is aborted. */
  async pause(): Promise<void> {
    await waitForEvents();
    this.#signal?.throwIfAborted();
    this.#lastPauseMs = performance.now();
  }

  /** Pauses if a pause is due. */
  async pauseIfDue(): Promise<void> {
    if (this.isDue) await this.pause();
  }
}
