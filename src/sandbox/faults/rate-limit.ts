/** Limits requests per minute and token, in windows that begin with a token's first request, like deployments. */

/** The length of a window, in milliseconds of the sandbox's clock. */
const windowMs = 60_000;

/** The maximum number of counted tokens. Above it, all windows are deleted, which affects at most one minute. */
const maxTokens = 10_000;

/** A rate limit per token. */
export class RateLimit {
  readonly perMinute: number;
  readonly #windows = new Map<string, { endsAt: number; count: number }>();

  constructor(perMinute: number) {
    this.perMinute = perMinute;
  }

  /** Counts a request. The headers are for the response, also if it isn't over the limit. */
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
   * Returns the token's current window. If the clock was set back, a new window begins too: the old window would end
   * far in the future.
   */
  #current(token: string, now: number): { endsAt: number; count: number } {
    const existing = this.#windows.get(token);
    if (existing && now < existing.endsAt && now >= existing.endsAt - windowMs) return existing;
    if (this.#windows.size >= maxTokens) this.#windows.clear();
    const created = { endsAt: now + windowMs, count: 0 };
    this.#windows.set(token, created);
    return created;
  }
}
