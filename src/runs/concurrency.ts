/** How many requests of a run are in flight: a few at first, and more while the service answers each of them as fast. */

/** Faster answers wait for a processor near by: more at once would only queue up. */
const minAnswerMs = 5;

/** Answers that take this many times as long as the fastest have begun to wait for each other. */
const slowdown = 1.5;

export class Concurrency {
  readonly #min: number;
  readonly #max: number;
  #now: number;
  /** Of the current round, which has as many answers as may be in flight: their number and their milliseconds. */
  #count = 0;
  #sumMs = 0;
  #fastestMs = Number.POSITIVE_INFINITY;

  /** It stays between `min` and `max`. */
  constructor(min: number, max = min) {
    this.#min = min;
    this.#max = max;
    this.#now = min;
  }

  /** How many requests may be in flight now. */
  get now(): number {
    return this.#now;
  }

  /** Call it for each row that was carried out, with the milliseconds that it took. */
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

  /** Call it for each request that wasn’t answered, or was too much for the service: it gets no more at once from then on. */
  failed(): void {
    [this.#count, this.#sumMs] = [0, 0];
    this.#fastestMs = 0;
    this.#now = this.#min;
  }
}
