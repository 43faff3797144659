/** What was found in a file, for as long as nobody writes to it. */
export class Remembered<Value> {
  /** All is forgotten at once when it weighs more. */
  readonly #most: number;
  readonly #values = new Map<string, Value>();
  #version: string | undefined;
  #weight = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** `version` is the file’s as it is now; see `Database`. */
  find(version: string, name: string): Value | undefined {
    return version === this.#version ? this.#values.get(name) : undefined;
  }

  /** What was read while the file had this version. */
  keep(version: string, name: string, value: Value, weight = 1): void {
    if (weight > this.#most) return;
    if (version !== this.#version || this.#weight + weight > this.#most) this.#forget();
    this.#version = version;
    if (this.#values.has(name)) return;
    this.#values.set(name, value);
    this.#weight += weight;
  }

  #forget(): void {
    this.#values.clear();
    this.#weight = 0;
  }
}
