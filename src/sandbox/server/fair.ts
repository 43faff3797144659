/**
 * Serves requests in the order of their coming, and looks for new ones in between: Node takes one new connection
 * each time it looks, so that the last of many would wait for all that the first ones ask meanwhile.
 */

/** How long it works before it looks again, in milliseconds. */
const stretch = 2;

export class FairQueue {
  readonly #waiting: (() => void)[] = [];
  /** When the stretch of work under way has begun; undefined between two of them. */
  #began: number | undefined;

  /** At once where there is time left and nobody waits; the work is done as far as it goes without waiting. */
  run<T>(work: () => Promise<T>): Promise<T> {
    if (this.isFree) return work();
    return new Promise((resolve) => {
      this.#waiting.push(() => resolve(work()));
    });
  }

  /** Whether `run` would do its work at once. */
  get isFree(): boolean {
    return this.#waiting.length === 0 && this.#hasTime();
  }

  #hasTime(): boolean {
    if (this.#began === undefined) {
      this.#began = performance.now();
      setImmediate(() => this.#goOn());
    }
    return performance.now() - this.#began < stretch;
  }

  /** What has come meanwhile stands behind those who wait. */
  #goOn(): void {
    this.#began = undefined;
    while (this.#waiting.length > 0 && this.#hasTime()) this.#waiting.shift()?.();
  }
}
