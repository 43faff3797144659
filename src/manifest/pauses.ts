/** Work over very many records stops now and then, so that whoever ends it is heard. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** For so long, in milliseconds, nobody notices that a signal waits. */
const unnoticed = 50;

export class Pauses {
  readonly #signal: AbortSignal | undefined;
  #since = performance.now();

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
  }

  /** To be asked often: where it is true, `take` is to be awaited. */
  get isDue(): boolean {
    return performance.now() - this.#since > unnoticed;
  }

  /** Throws the signal’s reason where the work is to end. */
  async take(): Promise<void> {
    await nextTurn();
    this.#signal?.throwIfAborted();
    this.#since = performance.now();
  }

  /** The same, where it is time. */
  async takeIfDue(): Promise<void> {
    if (this.isDue) await this.take();
  }
}
