/** Generates pseudorandom numbers from a seed, so that the demo business and test rows are the same on every machine. */

/** A pseudorandom generator. The same seed and the same calls give the same results. */
export class RandomGenerator {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** Returns a whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.#next() * (high - low + 1));
  }

  /** Returns true with a probability of 1 in `times`. */
  hasChance(times: number): boolean {
    return this.between(1, times) === 1;
  }

  /** Returns one of the items. Throws a RangeError if there are none. */
  pick<T>(items: readonly T[]): T {
    const item = items[this.between(0, items.length - 1)];
    if (item === undefined) throw new RangeError('Nothing to choose from');
    return item;
  }

  /** Returns `count` different items in their original order; all items if there are fewer. */
  sample<T>(items: readonly T[], count: number): T[] {
    const indexes = new Set<number>();
    while (indexes.size < Math.min(count, items.length)) indexes.add(this.between(0, items.length - 1));
    return items.filter((_, index) => indexes.has(index));
  }

  /** Returns the next number from 0 to 1, without 1 (Mulberry32). */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}
