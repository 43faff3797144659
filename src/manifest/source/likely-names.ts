/** The names in a file without quotes: records have theirs in one order, mostly, so that the one that came last time is looked at first. */
export class LikelyNames {
  readonly #following = new Map<string, string>();
  #before = '';

  /** The likely name, where it stands there with its colon. */
  at(text: string, from: number): string | undefined {
    const likely = this.#following.get(this.#before);
    if (likely === undefined || !text.startsWith(likely, from)) return undefined;
    const end = from + likely.length;
    if (text[end] !== ':' || text[end + 1] !== ' ') return undefined;
    this.#before = likely;
    return likely;
  }

  note(name: string): void {
    this.#following.set(this.#before, name);
    this.#before = name;
  }
}
