/** So many requests a minute for each token, as deployments count them: in windows that begin with a token's first request. */

/** In milliseconds of the sandbox's clock. */
const window = 60_000;

/** Forgotten all at once when there are more: they are counts of a minute. */
const mostTokens = 10_000;

export class RateLimit {
  readonly perMinute: number;
  readonly #windows = new Map<string, { endsAt: number; count: number }>();

  constructor(perMinute: number) {
    this.perMinute = perMinute;
  }

  /** Counts a request. The headers go with the answer, whatever it is. */
  count(token: string, now: number): { isOver: boolean; headers: Record<string, string> } {
    const current = this.#current(token, now);
    current.count++;
    const isOver = current.count > this.perMinute;
    const headers = {
      'x-ratelimit-limit': String(this.perMinute),
      'x-ratelimit-remaining': String(Math.max(0, this.perMinute - current.count)),
    };
    if (!isOver) return { isOver, headers };
    const retryAfter = Math.max(1, Math.ceil((current.endsAt - now) / 1000));
    return { isOver, headers: { ...headers, 'retry-after': String(retryAfter) } };
  }

  /** A clock that was set back begins a new window too: its end would be far away otherwise. */
  #current(token: string, now: number): { endsAt: number; count: number } {
    const known = this.#windows.get(token);
    if (known && now < known.endsAt && now >= known.endsAt - window) return known;
    if (this.#windows.size >= mostTokens) this.#windows.clear();
    const fresh = { endsAt: now + window, count: 0 };
    this.#windows.set(token, fresh);
    return fresh;
  }
}
