/**
 * Adjusts how many requests of a run are in progress at once: a few at first, and more as long as the service responds
 * as fast as before.
 */

/** The number of parallel requests at the start of a run, unless it is set. */
export const defaultConcurrency = 4;
/** The maximum number of parallel requests, unless it is set, if the service doesn't become slower. */
export const maxDefaultConcurrency = 16;

/**
 * The minimum response time in ms for which the limit is raised. Faster responses come from a service on the same machine
 * or network, where more concurrent requests would only wait in a queue.
 */
const minResponseMs = 5;

/** The factor by which responses may be slower than the fastest ones before the limit is lowered. */
const maxSlowdown = 1.5;

/** Measures the responses of a run and adjusts how many requests may be in progress. */
export class Concurrency {
  readonly #min: number;
  readonly #max: number;
  #limit: number;
  /**
   * The number of responses in the current round and the sum of their times in ms. A round has as many responses as
   * requests may be in progress.
   */
  #count = 0;
  #sumMs = 0;
  #fastestMs = Number.POSITIVE_INFINITY;

  /** The number of requests stays between `min` and `max`. */
  constructor(min: number, max = min) {
    this.#min = min;
    this.#max = max;
    this.#limit = min;
  }

  /** Returns how many requests may be in progress now. */
  get limit(): number {
    return this.#limit;
  }

  /** Records a row that succeeded, with the time that it took in ms. */
  recordSuccess(ms: number): void {
    this.#count += 1;
    this.#sumMs += ms;
    if (this.#count < this.#limit) return;
    const meanMs = this.#sumMs / this.#count;
    this.#fastestMs = Math.min(this.#fastestMs, meanMs);
    [this.#count, this.#sumMs] = [0, 0];
    if (meanMs > maxSlowdown * this.#fastestMs)
      this.#limit = Math.max(this.#min, Math.floor(this.#limit / 2));
    else if (meanMs >= minResponseMs) this.#limit = Math.min(this.#max, this.#limit * 2);
  }

  /** Records a request that got no response or was rate limited: from then on, the limit stays at its minimum. */
  recordFailure(): void {
    [this.#count, this.#sumMs] = [0, 0];
    this.#fastestMs = 0;
    this.#limit = this.#min;
  }
}
