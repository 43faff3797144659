/** Limits requests by token, like real deployments: a rate limit, and blocks after many refused requests. */
import type { Variant } from '../business/settings.ts';
import { HttpError, type ServiceRequest, type ServiceResponse } from '../http/message.ts';

/** The limits of the deployment that a sandbox simulates while it is open. */
export class RequestLimits {
  readonly #blocks = new Blocks();
  #rateLimit: RateLimit | undefined;

  /**
   * Counts a request against its token's rate limit and returns the headers for the response. Refuses requests above
   * the limit. `now` is the sandbox's time, in milliseconds since 1970.
   */
  countRequest({ headers }: ServiceRequest, variant: Variant, now: number): ServiceResponse['headers'] {
    const token = headers.authorization ?? '';
    const secondsLeft = variant['wire.blocks'] === 'on' ? this.#blocks.secondsLeft(token, now) : 0;
    if (secondsLeft > 0) throw tooManyRequests({ 'retry-after': String(secondsLeft) });
    const requestsPerMinute = variant['wire.requests_per_minute'];
    if (requestsPerMinute === 0) return {};
    if (this.#rateLimit?.requestsPerMinute !== requestsPerMinute)
      this.#rateLimit = new RateLimit(requestsPerMinute);
    const result = this.#rateLimit.countRequest(token, now);
    if (!result.isOverLimit) return result.headers;
    this.countResponse(headers, 429, now);
    throw tooManyRequests(result.headers);
  }

  /** Counts a response, because too many refused requests block their token. */
  countResponse({ authorization = '' }: ServiceRequest['headers'], status: number, now: number): void {
    this.#blocks.count(authorization, status, now);
  }
}

function tooManyRequests(headers: Record<string, string>): HttpError {
  return new HttpError(429, 'Too Many Attempts.', { headers });
}

/** The length of a window, in milliseconds of the sandbox's clock. */
const windowMs = 60_000;

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
    const newWindow = { endsAtMs: now + windowMs, count: 0 };
    this.#windows.set(token, newWindow);
    return newWindow;
  }
}

/** The refused requests that cause a block, by the statuses of their responses. */
const rules = [
  { statuses: [429], maxCount: 10, windowMs: 10_000, blockMs: 60_000 },
  { statuses: [401, 403], maxCount: 60, windowMs: 60_000, blockMs: 3_600_000 },
];

interface TokenState {
  /** The times of the newest refused requests, by rule. */
  refusedAtMs: number[][];
  blockedUntilMs: number;
}

class Blocks {
  readonly #tokens = new Map<string, TokenState>();

  /** Returns the seconds until the token's block ends; 0 if it isn't blocked. */
  secondsLeft(token: string, now: number): number {
    return Math.max(0, Math.ceil(((this.#tokens.get(token)?.blockedUntilMs ?? now) - now) / 1000));
  }

  /** Counts a response to a token that isn't blocked. */
  count(token: string, status: number, now: number): void {
    for (const [index, { statuses, maxCount, windowMs, blockMs }] of rules.entries()) {
      if (!statuses.includes(status)) continue;
      const state = this.#tokens.get(token) ?? { refusedAtMs: rules.map(() => []), blockedUntilMs: now };
      this.#tokens.set(token, state);
      const earlier = state.refusedAtMs[index]?.filter((time) => time > now - windowMs && time <= now) ?? [];
      const isTooMany = earlier.length >= maxCount;
      state.refusedAtMs[index] = isTooMany ? [] : [...earlier, now];
      if (isTooMany) state.blockedUntilMs = now + blockMs;
    }
  }
}
