/** Limits requests per minute and token, like real deployments: a window begins with a token's first request. */

/** The length of a window, in milliseconds of the sandbox's clock. */
const windowMs = 60_000;

/** The maximum number of counted tokens. Above it, all windows are deleted, which affects at most one minute. */
const maxTokens = 10_000;

/** A rate limit that applies to each token separately. */
export class RateLimit {
  readonly requestsPerMinute: number;
  readonly #windows = new Map<string, { endsAtMs: number; count: number }>();

  constructor(requestsPerMinute: number) {
    this.requestsPerMinute = requestsPerMinute;
  }

  /** Counts a request and returns the headers for its response. `now` is in milliseconds of the sandbox's clock. */
  countRequest(token: string, now: number): { isOverLimit: boolean; headers: Record<string, string> } {
    const window = this.#currentWindow(token, now);
    window.count++;
    const isOverLimit = window.count > this.requestsPerMinute;
    const headers = {
      'x-ratelimit-limit': String(this.requestsPerMinute),
      'x-ratelimit-remaining': String(Math.max(0, this.requestsPerMinute - window.count)),
    };
    if (!isOverLimit) return { isOverLimit, headers };
    const retryAfterSeconds = Math.max(1, Math.ceil((window.endsAtMs - now) / 1000));
    return { isOverLimit, headers: { ...headers, 'retry-after': String(retryAfterSeconds) } };
  }

  /**
   * Returns the token's current window. If the clock was set back, a new window begins too: the old window would end
   * far in the future.
   */
  #currentWindow(token: string, now: number): { endsAtMs: number; count: number } {
    const existingWindow = this.#windows.get(token);
    if (existingWindow && now < existingWindow.endsAtMs && now >= existingWindow.endsAtMs - windowMs)
      return existingWindow;
    if (this.#windows.size >= maxTokens) this.#windows.clear();
    const newWindow = { endsAtMs: now + windowMs, count: 0 };
    this.#windows.set(token, newWindow);
    return newWindow;
  }
}
