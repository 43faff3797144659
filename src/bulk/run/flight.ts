/** How many requests of a run are in flight: a few at first, and more as long as the service answers none of them more slowly for it. */

/** Quicker answers are worked out by the processor that waits for them, or one beside it: more at once would only wait. In milliseconds. */
const worthWhile = 5;

/** Answers that take so many times as long as the quickest ones have begun to wait for each other. */
const slower = 1.5;

export class Flight {
  readonly #fewest: number;
  readonly #most: number;
  #now: number;
  /** Of the round under way, as many answers as may be in flight: how many have come, and the milliseconds that they took. */
  #count = 0;
  #sum = 0;
  #quickest = Number.POSITIVE_INFINITY;

  /** It never goes below `fewest`, and never above `most`. */
  constructor(fewest: number, most = fewest) {
    this.#fewest = fewest;
    this.#most = most;
    this.#now = fewest;
  }

  /** How many may be in flight now. */
  get now(): number {
    return this.#now;
  }

  /** To be told of each that was carried out, and how long it took, in milliseconds. */
  arrived(ms: number): void {
    this.#count += 1;
    this.#sum += ms;
    if (this.#count < this.#now) return;
    const mean = this.#sum / this.#count;
    this.#quickest = Math.min(this.#quickest, mean);
    [this.#count, this.#sum] = [0, 0];
    if (mean > slower * this.#quickest) this.#now = Math.max(this.#fewest, Math.floor(this.#now / 2));
    else if (mean >= worthWhile) this.#now = Math.min(this.#most, this.#now * 2);
  }

  /** To be told of each that wasn’t answered, or was too much for the service: it is asked for no more at once from there on. */
  failed(): void {
    [this.#count, this.#sum] = [0, 0];
    this.#quickest = 0;
    this.#now = this.#fewest;
  }
}
