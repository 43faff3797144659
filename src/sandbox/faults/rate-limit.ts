/** Limits requests per minute and token, as deployments do: in windows that begin with a token's first request. */

/** The length of a window, in milliseconds of the sandbox's clock. */
const windowMs = 60_000;

/** When there are more tokens, all are forgotten: the counts are of one minute. */
const maxTokens = 10_000;

/** A limit of requests per minute for each token. */
export class RateLimit {
  readonly perMinute: number;
  readonly #windows = new Map<string, { endsAt: number; count: number }>();

  constructor(perMinute: number) {
    this.perMinute = perMinute;
  }

  /** Counts a request. The headers go with the response, whatever it is. */
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

  /**
   * Returns the token's window. A clock that was set back also begins a new one, which would otherwise end far in the
   * future.
   */
  #current(token: string, now: number): { endsAt: number; count: number } {
    const known = this.#windows.get(token);
    if (known && now < known.endsAt && now >= known.endsAt - windowMs) return known;
    if (this.#windows.size >= maxTokens) this.#windows.clear();
    const fresh = { endsAt: now + windowMs, count: 0 };
    this.#windows.set(token, fresh);
    return fresh;
  }
}
