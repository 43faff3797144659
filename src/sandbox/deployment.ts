/** Applies the deployment that a sandbox simulates: its variant settings and its rate limit. */
import type { Settings } from './business/settings.ts';
import { Blocks } from './faults/blocks.ts';
import { RateLimit } from './faults/rate-limit.ts';
import { HttpError } from './http/http-error.ts';
import type { ServiceRequest, ServiceResponse } from './http/message.ts';
import type { Variant } from './variant.ts';

/** The deployment that a sandbox simulates while it is open. */
export class Deployment {
  /** Overrides the stored settings. */
  readonly #overrides: Partial<Variant>;
  readonly #blocks = new Blocks();
  #rateLimit: RateLimit | undefined;
  #cache: { settings: Settings; variant: Variant } | undefined;

  constructor(overrides: Partial<Variant>) {
    this.#overrides = overrides;
  }

  /** Returns the variant: the stored settings, overridden by the options of this sandbox. */
  variant(settings: Settings): Variant {
    if (this.#cache?.settings !== settings) {
      this.#cache = { settings, variant: { ...settings, ...this.#overrides } };
    }
    return this.#cache.variant;
  }

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

/** Adds headers to the response of the work, also if it throws an `HttpError`. */
export function withHeaders(
  headers: ServiceResponse['headers'],
  work: () => ServiceResponse,
): ServiceResponse {
  const response = runToResponse(work);
  return { ...response, headers: { ...response.headers, ...headers } };
}

function runToResponse(work: () => ServiceResponse): ServiceResponse {
  try {
    return work();
  } catch (error) {
    if (error instanceof HttpError) return error.response();
    throw error;
  }
}
