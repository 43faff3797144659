/** Applies the deployment that a sandbox simulates: its variant settings and its rate limit. */
import type { Settings } from './business/settings.ts';
import { RateLimit } from './faults/rate-limit.ts';
import type { ServiceRequest, ServiceResponse } from './http/message.ts';
import { Refusal } from './http/refusal.ts';
import type { Variant } from './variant.ts';

/** The deployment that a sandbox simulates while it is open. */
export class Deployment {
  /** Overrides the stored settings. */
  readonly #overrides: Partial<Variant>;
  #limit: RateLimit | undefined;
  #cached: { settings: Settings; variant: Variant } | undefined;

  constructor(overrides: Partial<Variant>) {
    this.#overrides = overrides;
  }

  /** Returns the variant: the stored settings, overridden by the options of this sandbox. */
  variant(settings: Settings): Variant {
    if (this.#cached?.settings !== settings) {
      this.#cached = { settings, variant: { ...settings, ...this.#overrides } };
    }
    return this.#cached.variant;
  }

  /**
   * Counts a request against the limit per token and returns the headers for the response. Refuses requests above the
   * limit. `now` is the sandbox's time, in milliseconds since 1970.
   */
  count({ headers }: ServiceRequest, variant: Variant, now: number): ServiceResponse['headers'] {
    const perMinute = variant['wire.requests_per_minute'];
    if (perMinute === 0) return {};
    if (this.#limit?.perMinute !== perMinute) this.#limit = new RateLimit(perMinute);
    const counted = this.#limit.count(headers.authorization ?? '', now);
    if (counted.isOver) throw new Refusal(429, 'Too Many Attempts.', { headers: counted.headers });
    return counted.headers;
  }
}

/** Adds headers to a response, also if the work throws a refusal. */
export function withHeaders(
  headers: ServiceResponse['headers'],
  work: () => ServiceResponse,
): ServiceResponse {
  const answer = responseOf(work);
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

function responseOf(work: () => ServiceResponse): ServiceResponse {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refusal) return error.answer();
    throw error;
  }
}
