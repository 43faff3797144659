/**
 * Remembers calls that the service has refused permanently: after 60 refusals services block an IP address for an hour.
 */
import type { Failure } from '../base/errors.ts';
import { type RequestInfo, refusal } from './refusal.ts';
import type { HttpResponse } from './transport.ts';

/** The refusals of a token that other processes have recorded. */
export interface RefusedToken {
  /** Returns the failure to report instead of another request; undefined if a request may be sent. */
  recordedRefusal(): Failure | undefined;
  recordRefusal(): void;
  /** Waits while many other processes send the token for the first time. Call the result after that. */
  admit?(signal?: AbortSignal): Promise<() => void>;
}

const allCallsKey = '';

/** Remembers refusals, so that no call is sent that would be refused again. */
export class RefusedCalls {
  readonly #token: RefusedToken | undefined;
  readonly #failures = new Map<string, Failure>();
  #admitted: Promise<() => void> | undefined;

  constructor(token: RefusedToken | undefined) {
    this.#token = token;
  }

  /** Waits before the first request of a client. Call the result after each request. */
  admit(signal: AbortSignal | undefined): Promise<() => void> {
    this.#admitted ??= this.#admit(signal);
    return this.#admitted;
  }

  /** Throws the failure of a call that was refused before. */
  throwIfRefused(request: RequestInfo): void {
    const { included: _, ...plain } = request;
    const failure =
      this.#failures.get(allCallsKey) ??
      this.#failures.get(keyOf(plain)) ??
      this.#failures.get(keyOf(request));
    if (failure) throw failure;
  }

  /** Records a refusal: a 401 stops all calls, a 403 all calls of the operation. */
  observe(response: HttpResponse, request: RequestInfo): void {
    if (response.status === 401) this.#failures.set(allCallsKey, refusal(response, request));
    if (response.status === 403 && request.operation)
      this.#failures.set(keyOf(request), refusal(response, request));
    if (response.status === 401) this.#token?.recordRefusal();
  }

  /** Waits before the first request of a client. Call the result after each request. */
  async #admit(signal: AbortSignal | undefined): Promise<() => void> {
    this.#loadRefusal();
    if (this.#failures.size > 0 || !this.#token?.admit) return () => {};
    const release = await this.#token.admit(signal);
    this.#loadRefusal();
    return release;
  }

  /** Loads a refusal that another process has recorded for the same token. */
  #loadRefusal(): void {
    const failure = this.#token?.recordedRefusal();
    if (failure) this.#failures.set(allCallsKey, failure);
  }
}

/** Returns the key of a call. It contains the included relations, because these may be what is refused. */
function keyOf({ operation, included = [], method, path }: RequestInfo): string {
  return operation ? [operation.resource.name, operation.verb, ...included].join(' ') : `${method} ${path}`;
}
