/**
 * Chooses how many requests of a run are in progress at once: a few at first, and more while the service answers each
 * as fast as before.
 */

/** Faster answers come from a service on the same machine or network: more requests at once would only queue up, in ms. */
const minAnswerMs = 5;

/** Answers that take this many times as long as the fastest have begun to wait for each other. */
const slowdown = 1.5;

/** Counts the answers of a run and adjusts how many requests may be in progress. */
export class Concurrency {
  readonly #min: number;
  readonly #max: number;
  #now: number;
  /**
   * The number of answers in the current round and the sum of their times in ms. A round has as many answers as
   * requests may be in progress.
   */
  #count = 0;
  #sumMs = 0;
  #fastestMs = Number.POSITIVE_INFINITY;

  /** The number of requests stays between `min` and `max`. */
  constructor(min: number, max = min) {
    this.#min = min;
    this.#max = max;
    this.#now = min;
  }

  /** Returns how many requests may be in progress now. */
  get now(): number {
    return this.#now;
  }

  /** Records a row that was carried out, with the time that it took in ms. */
  arrived(ms: number): void {
    this.#count += 1;
    this.#sumMs += ms;
    if (this.#count < this.#now) return;
    const mean = this.#sumMs / this.#count;
    this.#fastestMs = Math.min(this.#fastestMs, mean);
    [this.#count, this.#sumMs] = [0, 0];
    if (mean > slowdown * this.#fastestMs) this.#now = Math.max(this.#min, Math.floor(this.#now / 2));
    else if (mean >= minAnswerMs) this.#now = Math.min(this.#max, this.#now * 2);
  }

  /** Records a request that wasn't answered or that was rate limited: from then on the number stays at its minimum. */
  failed(): void {
    [this.#count, this.#sumMs] = [0, 0];
    this.#fastestMs = 0;
    this.#now = this.#min;
  }
}
