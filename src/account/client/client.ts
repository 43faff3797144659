/** The client of the API: sends operations over a transport and returns their records. */

import type { Api } from '../../api/contract/api.ts';
import { isWrite, type Operation } from '../../api/contract/operation.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { redactTarget, secretValues } from '../../api/contract/secrets-in-request.ts';
import { Failure, usage } from '../../base/errors.ts';
import { minSecretLength, redact, redactData, redactionMarker, redactValue } from '../../base/redaction.ts';
import { Concurrency, type Pace } from './pace.ts';
import { cursorPages, readPages } from './read-pages.ts';
import { RefusedCalls, type RefusedToken, type RequestInfo } from './refusal.ts';
import { type Call, expectedRowsOf, plainRequest, type RequestContext, requestFor } from './request.ts';
import {
  containsRecord,
  type ListPage,
  type RecordResponse,
  rawRecordOf,
  throwUnlessOk,
} from './response.ts';
import { type Clock, type OnWait, sendWithRetries, systemClock } from './retry.ts';
import { parseJson } from './shape.ts';
import { type HttpRequest, type HttpResponse, type Transport, TransportError } from './transport.ts';
import { readRecordOf, readWrittenRecord, throwUnlessApplied, writtenRecordOf } from './write-response.ts';

export type { RecordResponse };

/** Called with every response for `--verbose`. Doesn't get headers and bodies, which contain secrets. */
export type OnResponse = (
  request: Pick<HttpRequest, 'method' | 'target'>,
  response: Pick<HttpResponse, 'status'>,
  ms: number,
) => void;

export interface ClientOptions extends RequestContext {
  transport: Transport;
  /** Ends waits and requests when the user interrupts. */
  signal?: AbortSignal | undefined;
  clock?: Clock;
  onWait?: OnWait | undefined;
  onResponse?: OnResponse | undefined;
  /** The API, by whose fields the secrets of requests are redacted in messages. */
  api?: Api | undefined;
  /** Called when a request starts to wait. The returned function is called when the response arrives. */
  onRequest?: (() => () => void) | undefined;
  refusedToken?: RefusedToken | undefined;
  /** Limits the rate of requests. Without it, requests are sent immediately. */
  pace?: Pace | undefined;
  /** The maximum number of concurrent requests of a list. Default: 0, which turns prefetching off. */
  maxConcurrency?: number | undefined;
}

/** A request outside the contract, under the API's prefix. */
export interface RawRequest {
  method: string;
  /** Path and query, percent-encoded. */
  target: string;
  body?: string | undefined;
}

/** Operations of the API as calls. */
export interface Client {
  get(call: Call): Promise<RecordResponse>;
  pages(call: Call): AsyncGenerator<ListPage>;
  /** Sends a write once. `Session.write` must have prepared it. Returns undefined if the response has no record. */
  write(call: Call): Promise<RecordResponse | undefined>;
  /**
   * Sends a request with any method and path. Returns the successful response unchanged, for a write also its record. A GET
   * counts as a read, unless its operation writes.
   */
  raw(
    request: RawRequest,
    operation?: Operation,
  ): Promise<{ response: HttpResponse; recordResponse?: RecordResponse | undefined }>;
  rawPages(target: string): AsyncGenerator<ListPage>;
}

export class TransportClient implements Client {
  readonly #options: ClientOptions;
  readonly #clock: Clock;
  readonly #refusedCalls: RefusedCalls;
  readonly #concurrency: Concurrency;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#refusedCalls = new RefusedCalls(options.refusedToken);
    this.#concurrency = new Concurrency(options.maxConcurrency ?? 0);
  }

  async get(call: Call): Promise<RecordResponse> {
    const [response, info] = await this.#sendCall(call);
    const { envelope } = this.#options.wire;
    return { record: readRecordOf(call, response, info, envelope), body: response.body };
  }

  pages(wholeCall: Call): AsyncGenerator<ListPage> {
    const { wire, signal } = this.#options;
    return cursorPages(wholeCall, (call) =>
      readPages((page, signal) => this.#sendCall({ ...call, query: { ...call.query, page } }, signal), {
        singlePage: call.query?.page,
        envelope: wire.envelope,
        prefetch: { maxPages: () => this.#concurrency.max, signal, expectedRows: expectedRowsOf(call) },
      }),
    );
  }

  async write(call: Call): Promise<RecordResponse | undefined> {
    const { envelope } = this.#options.wire;
    const [response, info] = await this.#sendCall(call);
    throwUnlessApplied(call, response, info, envelope);
    if (call.operation.response === 'nothing') return undefined;
    if (!containsRecord(response, info, envelope))
      return readWrittenRecord(call, response, (read) => this.get(read));
    return { record: writtenRecordOf(call, response, info, envelope), body: response.body };
  }

  async raw(
    request: RawRequest,
    operation?: Operation,
  ): Promise<{ response: HttpResponse; recordResponse?: RecordResponse | undefined }> {
    const [response, info] = await this.#sendRaw(request, operation);
    throwUnlessOk(response, info);
    if (isRead(request, operation)) return { response };
    return { response, recordResponse: rawRecordOf(response, info, this.#options.wire.envelope) };
  }

  rawPages(target: string): AsyncGenerator<ListPage> {
    const { envelope, pageParam = 'page' } = this.#options.wire;
    const targetOf = (page?: number) => (page === undefined ? target : withPage(target, pageParam, page));
    return readPages((page) => this.#sendRaw({ method: 'GET', target: targetOf(page) }), { envelope });
  }

  async #sendCall(call: Call, signal?: AbortSignal): Promise<[HttpResponse, RequestInfo]> {
    const request = requestFor(call, this.#options);
    const target = this.#redactTarget(request.target, call.operation.resource);
    const info = { ...requestInfo(call, { ...request, target }), redact: this.#createRedactor(request) };
    // Redeeming is a GET by default, but still a write.
    return [await this.#send(request, info, !isWrite(call.operation), call, signal), info];
  }

  async #sendRaw(raw: RawRequest, operation?: Operation): Promise<[HttpResponse, RequestInfo]> {
    const { method, target, body } = raw;
    if (!/^\/[\x21-\x22\x24-\x7e]*$/.test(target)) {
      throw usage(
        'The path must begin with a slash and contain only plain characters: percent-encode all others.',
      );
    }
    const request = plainRequest({ method, target: this.#options.apiPrefix + target, body }, this.#options);
    const [path, subject] = [this.#redactTarget(request.target), this.#redactTarget(target)];
    const info = { method, path, subject, redact: this.#createRedactor(request) };
    return [await this.#send(request, info, isRead(raw, operation)), info];
  }

  /** Sends a request with retries, and returns its final response. Throws at once if the same call was refused before. */
  async #send(
    request: HttpRequest,
    info: RequestInfo,
    isRead: boolean,
    { beforeSend, signal: callSignal, maxAttempts }: Pick<Call, 'beforeSend' | 'signal' | 'maxAttempts'> = {},
    signal = callSignal ?? this.#options.signal,
  ): Promise<HttpResponse> {
    const { signal: clientSignal, onWait } = this.#options;
    const release = await this.#refusedCalls.admit(clientSignal);
    this.#refusedCalls.throwIfRefused(info);
    try {
      const response = await sendWithRetries(
        (attempted, attemptSignal) => this.#attempt(attempted, info, beforeSend, attemptSignal),
        { ...request, isWrite: !isRead },
        // A call with its own deadline doesn't report waits, because it ends soon.
        {
          isRead,
          clock: this.#clock,
          onWait: callSignal ? undefined : onWait,
          signal,
          attempts: maxAttempts,
        },
      );
      this.#refusedCalls.observe(response, info);
      return response;
    } catch (error) {
      if (error instanceof TransportError) throw failureWithoutResponse(error, info, signal);
      // Canceled while it waited to be sent or retried. A write that may have arrived is never retried.
      if (!isRead && error instanceof Failure && error === signal?.reason)
        throw new Failure(error.category, error.message, { ...error.details, outcome: 'not_sent' });
      throw error;
    } finally {
      release();
    }
  }

  /** Waits for the turn of a request, and sends it once. */
  async #attempt(
    request: HttpRequest,
    info: RequestInfo,
    beforeSend: Call['beforeSend'],
    signal: AbortSignal | undefined,
  ): Promise<HttpResponse> {
    const turn = await this.#options.pace?.turn(signal);
    // Another request may have been refused during the wait.
    if (turn) this.#refusedCalls.throwIfRefused(info);
    beforeSend?.();
    try {
      const response = await this.#sendObserved(request, signal);
      turn?.end(response);
      return response;
    } catch (error) {
      turn?.end();
      throw error;
    }
  }

  async #sendObserved(request: HttpRequest, signal: AbortSignal | undefined): Promise<HttpResponse> {
    const { transport, onRequest, onResponse } = this.#options;
    const { method, target } = request;
    const start = this.#clock.now();
    const onEnd = onRequest?.();
    const response = await transport(request, signal).finally(onEnd);
    this.#concurrency.observe(response);
    const ms = this.#clock.now() - start;
    onResponse?.({ method, target: this.#redactTarget(target) }, { status: response.status }, ms);
    // Services may repeat secrets from the request.
    return { ...response, body: this.#redactBody(response.body, method === 'GET' ? target : undefined) };
  }

  #redactTarget(target: string, resource?: Resource): string {
    const { api } = this.#options;
    return redact(this.#withoutToken(api ? redactTarget(api, target, resource) : target));
  }

  /** Returns a function that redacts the secrets of a request in the text of a refusal. */
  #createRedactor(request: HttpRequest): (text: string) => string {
    return (text) => {
      const { api } = this.#options;
      const secrets = api ? secretValues(api, request) : [];
      return secrets.reduce((result, secret) => result.replaceAll(secret, redactionMarker), text);
    };
  }

  /** Redacts a body. Keeps names and numbers, so that it is still JSON. Counts the redacted values of a `read`. */
  #redactBody(body: string, read: string | undefined): string {
    return this.#withoutToken(redact(body) === body ? body : redactJson(body, read));
  }

  #withoutToken(text: string): string {
    const token = this.#options.token?.reveal() ?? '';
    return token.length < minSecretLength ? text : text.replaceAll(token, redactionMarker);
  }
}

/** Describes a call for messages. */
function requestInfo(call: Call, request: HttpRequest): RequestInfo {
  const { operation, ids = [], body = {}, query } = call;
  const included = query?.include ?? [];
  return {
    ...(included.length > 0 && { included }),
    method: request.method,
    path: request.target,
    subject: subjectOf(operation, ids),
    operation,
    fields: Object.keys(body),
  };
}

/** Returns `supplier 42`, `item 7 of supplier 42`, or `suppliers`. */
export function subjectOf({ resource, effect, link }: Operation, ids: readonly string[]): string {
  const { noun, nouns } = resource;
  if (link) return `${link.suffix} ${ids[1]} of ${noun} ${ids[0]}`;
  if (ids.length === 1) return `${noun} ${ids[0]}`;
  return effect === 'list' ? nouns : noun;
}

function isRead({ method }: Pick<RawRequest, 'method'>, operation: Operation | undefined): boolean {
  return (method === 'GET' || method === 'HEAD') && !(operation && isWrite(operation));
}

function withPage(target: string, param: string, page: number): string {
  return `${target}${target.includes('?') ? '&' : '?'}${encodeURIComponent(param)}=${page}`;
}

function failureWithoutResponse(
  error: TransportError,
  { method, path }: RequestInfo,
  signal?: AbortSignal,
): Failure {
  const interruption = signal?.aborted && signal.reason instanceof Failure ? signal.reason : undefined;
  return new Failure(interruption?.category ?? 'unavailable', interruption?.message ?? error.message, {
    ...interruption?.details,
    request: { method, path },
    ...(error.hint && { hint: error.hint }),
    cause: error,
  });
}

/** Redacts the strings of JSON. Redacts the whole text if it isn't JSON or is nested too deeply. Counts the redacted values of the request `read`. */
function redactJson(text: string, read: string | undefined): string {
  try {
    const parsed = parseJson(text);
    if (!parsed) return redact(text);
    const value = read === undefined ? redactValue(parsed.value) : redactData(parsed.value, read);
    return value === parsed.value ? text : JSON.stringify(value);
  } catch {
    return redact(text);
  }
}
