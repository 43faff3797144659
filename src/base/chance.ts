/** Numbers that look random and are the same each time: the demo business and rows to test with are the same everywhere. */

export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.#next() * (high - low + 1));
  }

  /** Whether something happens that happens once in so many times. */
  oneIn(times: number): boolean {
    return this.between(1, times) === 1;
  }

  one<T>(items: readonly T[]): T {
    const item = items[this.between(0, items.length - 1)];
    if (item === undefined) throw new RangeError('There is nothing to choose from');
    return item;
  }

  /** Different items, in their own order. */
  some<T>(items: readonly T[], count: number): T[] {
    const wanted = new Set<number>();
    while (wanted.size < Math.min(count, items.length)) wanted.add(this.between(0, items.length - 1));
    return items.filter((_, index) => wanted.has(index));
  }

  /** Mulberry32. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}
