/** Which deployment a sandbox plays while it is open: what it does otherwise, and how often it may be asked. */
import type { Settings } from './business/settings.ts';
import { RateLimit } from './faults/rate-limit.ts';
import type { ServiceRequest, ServiceResponse } from './http/message.ts';
import { Refusal } from './http/refusal.ts';
import type { Variant } from './variant.ts';

export class Deployment {
  /** Goes before what is set. */
  readonly #chosen: Partial<Variant>;
  #limit: RateLimit | undefined;
  #known: { settings: Settings; variant: Variant } | undefined;

  constructor(chosen: Partial<Variant>) {
    this.#chosen = chosen;
  }

  variant(settings: Settings): Variant {
    if (this.#known?.settings !== settings) {
      this.#known = { settings, variant: { ...settings, ...this.#chosen } };
    }
    return this.#known.variant;
  }

  /**
   * What goes with every answer where each token has so many requests a minute. Refuses those beyond. `now` is the
   * sandbox's time, in milliseconds since 1970.
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

/** An answer or a refusal, with more headers. */
export function answerWith(
  headers: ServiceResponse['headers'],
  work: () => ServiceResponse,
): ServiceResponse {
  const answer = answerOf(work);
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

function answerOf(work: () => ServiceResponse): ServiceResponse {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refusal) return error.answer();
    throw error;
  }
}
