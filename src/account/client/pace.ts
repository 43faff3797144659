/** Limits the rate and the concurrency of requests. */
import type { HttpResponse } from './transport.ts';

/**
 * Decides when requests may be sent, and learns from their responses. A client has one if its requests are rate
 * limited.
 */
export interface Pace {
  /**
   * Waits for the turn of a request. Throws `rate_limited` if the service has asked for a longer pause than boh waits,
   * and the signal's reason if it is aborted first.
   */
  turn(signal?: AbortSignal): Promise<RequestTurn>;
  /** Returns how long `requests` take, in milliseconds; undefined if no limit is known. */
  estimate(requests: number): number | undefined;
  /** Describes the current limit, such as "90 requests a minute"; undefined if none is known. */
  describeLimit(): string | undefined;
  close(): void;
}

export interface RequestTurn {
  /** Ends the turn. The response contains the number of remaining requests; a request without a response is counted, too. */
  end(response?: Pick<HttpResponse, 'status' | 'headers'>): void;
}

/** The maximum number of concurrent requests while the service reports no limit: a few more than browsers open. */
export const maxConcurrency = 8;

/** Limits concurrent requests: to one if the service has refused more, or soon will. */
export class Concurrency {
  readonly #limit: number;
  #isTooFast = false;
  #remaining = Infinity;

  constructor(limit: number) {
    this.#limit = limit;
  }

  observe({ status, headers }: Pick<HttpResponse, 'status' | 'headers'>): void {
    if (status === 429) this.#isTooFast = true;
    const remaining = headers['x-ratelimit-remaining'];
    if (remaining !== undefined && /^\d{1,9}$/.test(remaining)) this.#remaining = Number(remaining);
  }

  get max(): number {
    return this.#isTooFast || this.#remaining < 2 * this.#limit ? Math.min(this.#limit, 1) : this.#limit;
  }
}
