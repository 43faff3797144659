/** The client of the API: operations in, records out, over whichever transport it is handed. */
import type { Operation } from '../contract/operation.ts';
import { Failure } from '../errors.ts';
import { type Asked, type Page, type Row, recordOf, throwUnlessOk } from './answer.ts';
import { walkPages } from './pages.ts';
import { type Call, plainRequest, type RequestContext, requestFor } from './request.ts';
import { type Clock, type OnWait, sendWithRetries, systemClock } from './retry.ts';
import { type HttpAnswer, type HttpRequest, type Transport, TransportError } from './transport.ts';

/** Told of every answer, for `--verbose`. */
export type OnAnswer = (request: HttpRequest, answer: HttpAnswer, ms: number) => void;

export interface ClientOptions extends RequestContext {
  transport: Transport;
  /** Ends waits and requests when the person interrupts. */
  signal?: AbortSignal | undefined;
  clock?: Clock;
  onWait?: OnWait | undefined;
  onAnswer?: OnAnswer | undefined;
}

/** A record, and the body it came in. */
export interface Answered {
  record: Row;
  body: string;
}

export interface Client {
  /** The request that a call would send; nothing is sent. */
  requestFor(call: Call): HttpRequest;
  get(call: Call): Promise<Answered>;
  pages(call: Call): AsyncGenerator<Page>;
  /** A write, sent once: see `write.ts` for all that stands before it. Undefined where the answer has no record. */
  write(call: Call): Promise<Row | undefined>;
  /** Any method and path under the API's prefix, answered as it came. */
  raw(request: { method: string; target: string; body?: string | undefined }): Promise<HttpAnswer>;
}

export function createClient(options: ClientOptions): Client {
  const { clock = systemClock, onWait, onAnswer, signal } = options;

  const observed: Transport = async (request, until) => {
    const start = clock.now();
    const answer = await options.transport(request, until);
    onAnswer?.(request, answer, clock.now() - start);
    return answer;
  };

  const send = async (request: HttpRequest, asked: Asked): Promise<HttpAnswer> => {
    try {
      return await sendWithRetries(observed, request, { clock, onWait, signal });
    } catch (error) {
      throw error instanceof TransportError ? unanswered(error, asked) : error;
    }
  };

  const call = async (it: Call): Promise<[HttpAnswer, Asked]> => {
    const request = requestFor(it, options);
    const asked = askedFor(it, request);
    return [await send(request, asked), asked];
  };

  return {
    requestFor: (it) => requestFor(it, { ...options, token: undefined }),
    get: async (it) => {
      const [answer, asked] = await call(it);
      return { record: recordOf(answer, asked), body: answer.body };
    },
    pages: (it) => walkPages(it, call),
    write: async (it) => {
      const [answer, asked] = await call(it);
      throwUnlessOk(answer, asked);
      // Deletes and restores promise no body; what comes is not read.
      return it.operation.answer === 'nothing' ? undefined : recordOf(answer, asked);
    },
    raw: async ({ method, target, body }) => {
      const request = plainRequest({ method, target: options.apiPrefix + target, body }, options);
      return send(request, { method, path: request.target, what: target });
    },
  };
}

/** What a call is about, in words. */
export function askedFor({ operation, ids = [] }: Call, request: HttpRequest): Asked {
  return { method: request.method, path: request.target, what: nameOf(operation, ids), operation };
}

/** `supplier 42`, `item 7 of supplier 42`, or `suppliers`. */
export function nameOf({ resource, effect }: Operation, ids: readonly string[]): string {
  const one = resource.one.replaceAll('-', ' ');
  if (ids.length === 2) return `${one} ${ids[0]} with ${ids[1]}`;
  if (ids.length === 1) return `${one} ${ids[0]}`;
  return effect === 'list' ? resource.command.replaceAll('-', ' ') : one;
}

function unanswered(error: TransportError, { method, path }: Asked): Failure {
  return new Failure('unavailable', error.message, {
    request: { method, path },
    ...(error.hint && { hint: error.hint }),
    cause: error,
  });
}
