/** The client of the API: operations in, records out, over whichever transport it is handed. */
import { Failure, usage } from '../base/errors.ts';
import { isWrite, type Operation } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import { type Answered, holdsRecord, type Page, recordOf, recordWithin, throwUnlessOk } from './answer.ts';
import { bodyMaskFor, maskFor, withoutAll } from './masking.ts';
import { haste, type Pace } from './pace.ts';
import { walkPages } from './pages.ts';
import { type Asked, refusal } from './refusal.ts';
import { type Call, plainRequest, type RequestContext, requestFor, rowsWanted } from './request.ts';
import { type Clock, type OnWait, sendWithRetries, systemClock } from './retry.ts';
import { type HttpAnswer, type HttpRequest, type Transport, TransportError } from './transport.ts';
import { readBack, recordWritten, throwUnlessCarriedOut } from './write-answer.ts';

export type { Answered };

/** Told of every answer, for `--verbose`; of headers and bodies, which hold secrets, it is not told. */
export type OnAnswer = (
  request: Pick<HttpRequest, 'method' | 'target'>,
  answer: Pick<HttpAnswer, 'status'>,
  ms: number,
) => void;

export interface ClientOptions extends RequestContext {
  transport: Transport;
  /** Ends waits and requests when the person interrupts. */
  signal?: AbortSignal | undefined;
  clock?: Clock;
  onWait?: OnWait | undefined;
  onAnswer?: OnAnswer | undefined;
  /** What of a request nobody may see: an address without the secrets in its query, and the texts of all secrets. */
  discretion?:
    | {
        coveredTarget(target: string, resource?: Resource): string;
        secretTexts(request: Pick<HttpRequest, 'target' | 'body'>): string[];
      }
    | undefined;
  /** Told that an answer is waited for; what it answers is called once that is over. */
  onAsk?: (() => () => void) | undefined;
  /** What is known beyond this client of a token that was refused. */
  refusedToken?: RefusedToken | undefined;
  /** When each request may leave; without one they leave at once. */
  pace?: Pace | undefined;
  /** Requests of a list that may be under way at once; 0 unless it is said: then nothing is asked for ahead. */
  mostAtOnce?: number | undefined;
}

export interface RefusedToken {
  /** The failure that stands in the place of another request; undefined where one may be sent. */
  recall(): Failure | undefined;
  remember(): void;
  /** Waits while many others show the service the token for the first time; the answer is to be called after that. */
  admit?(signal?: AbortSignal): Promise<() => void>;
}

/** A request outside the contract, under the API's prefix. */
export interface RawRequest {
  method: string;
  /** Path and query, percent-encoded. */
  target: string;
  body?: string | undefined;
}

export interface Client {
  get(call: Call): Promise<Answered>;
  pages(call: Call): AsyncGenerator<Page>;
  /** A write, sent once: the session's `write.ts` has all that stands before it. Undefined where the answer has no record. */
  write(call: Call): Promise<Answered | undefined>;
  /**
   * Any method and path, answered by a success, which is given as it came; of a write with the record that it holds. A
   * GET is taken for a read, unless it stands for an operation that writes.
   */
  raw(
    request: RawRequest,
    operation?: Operation,
  ): Promise<{ answer: HttpAnswer; answered?: Answered | undefined }>;
  /** The pages of any path that answers lists. */
  rawPages(target: string): AsyncGenerator<Page>;
}

export function createClient(options: ClientOptions): Client {
  const { clock = systemClock, onWait, onAnswer, signal, refusedToken, pace, discretion } = options;
  const mask = maskFor(options.token?.reveal());
  const maskBody = bodyMaskFor(options.token?.reveal());
  const tellable = (target: string, resource?: Resource) =>
    mask(discretion?.coveredTarget(target, resource) ?? target);
  const hideOf = (request: HttpRequest) => (text: string) =>
    withoutAll(text, discretion?.secretTexts(request) ?? []);
  const refused = new Map<string, Failure>();
  let admitted: Promise<() => void> | undefined;
  const { note, most } = haste(options.mostAtOnce ?? 0);

  const observed: Transport = async (request, until) => {
    const start = clock.now();
    const over = options.onAsk?.();
    const answer = await options.transport(request, until).finally(over);
    const { method, target } = request;
    note(answer);
    onAnswer?.({ method, target: tellable(target) }, { status: answer.status }, clock.now() - start);
    // Services may quote what they were sent.
    return { ...answer, body: maskBody(answer.body, method === 'GET' ? target : undefined) };
  };

  const send = async (
    request: HttpRequest,
    asked: Asked,
    isRead: boolean,
    { departing, until: ownEnd, attempts }: Pick<Call, 'departing' | 'until' | 'attempts'> = {},
    until = ownEnd ?? signal,
  ): Promise<HttpAnswer> => {
    admitted ??= admit(refused, refusedToken, signal);
    const seen = await admitted;
    stopIfRefused(refused, asked);
    const transport: Transport = async (it, until) => {
      const turn = await pace?.turn(until);
      // While it waited, another may have been refused.
      if (turn) stopIfRefused(refused, asked);
      departing?.();
      try {
        const answer = await observed(it, until);
        turn?.over(answer);
        return answer;
      } catch (error) {
        turn?.over();
        throw error;
      }
    };
    try {
      const answer = await sendWithRetries(
        transport,
        { ...request, isWrite: !isRead },
        // Nobody waits that long for what is ended sooner.
        { isRead, clock, onWait: ownEnd ? undefined : onWait, signal: until, attempts },
      );
      rememberRefusal(refused, answer, asked);
      if (answer.status === 401) refusedToken?.remember();
      return answer;
    } catch (error) {
      if (error instanceof TransportError) throw unanswered(error, asked, until);
      // Ended while it waited: for its turn, or to be tried again, which no write is that may have arrived.
      if (!isRead && error instanceof Failure && error === until?.reason)
        throw new Failure(error.category, error.message, { ...error.details, outcome: 'not_sent' });
      throw error;
    } finally {
      seen();
    }
  };

  const call = async (it: Call, until?: AbortSignal): Promise<[HttpAnswer, Asked]> => {
    const request = requestFor(it, options);
    const asked = {
      ...askedFor(it, { ...request, target: tellable(request.target, it.operation.resource) }),
      hide: hideOf(request),
    };
    // Redeeming is a GET by default, and a write all the same.
    return [await send(request, asked, !isWrite(it.operation), it, until), asked];
  };

  const raw = async (
    { method, target, body }: RawRequest,
    operation?: Operation,
  ): Promise<[HttpAnswer, Asked]> => {
    if (!/^\/[\x21-\x22\x24-\x7e]*$/.test(target)) {
      throw usage(
        'The path must begin with a slash and hold plain characters only: percent-encode all others.',
      );
    }
    const request = plainRequest({ method, target: options.apiPrefix + target, body }, options);
    const [path, what] = [tellable(request.target), tellable(target)];
    const asked = { method, path, what, hide: hideOf(request) };
    return [await send(request, asked, isRead({ method }, operation)), asked];
  };

  const { envelope, pageParam = 'page' } = options.wire;

  const get = async (it: Call): Promise<Answered> => {
    const [answer, asked] = await call(it);
    return { record: recordOf(answer, asked, envelope), body: answer.body };
  };

  return {
    get,
    pages: (it) =>
      walkPages((page, until) => call({ ...it, query: { ...it.query, page } }, until), {
        single: it.query?.page,
        envelope,
        ahead: { most, signal, rows: rowsWanted(it) },
      }),
    write: async (it) => {
      const [answer, asked] = await call(it);
      throwUnlessCarriedOut(it, answer, asked, envelope);
      if (it.operation.answer === 'nothing') return undefined;
      if (!holdsRecord(answer, asked, envelope)) return readBack(it, answer, get);
      return { record: recordWritten(it, answer, asked, envelope), body: answer.body };
    },
    raw: async (request, operation) => {
      const [answer, asked] = await raw(request, operation);
      throwUnlessOk(answer, asked);
      return isRead(request, operation)
        ? { answer }
        : { answer, answered: recordWithin(answer, asked, envelope) };
    },
    rawPages: (target) =>
      walkPages(
        (page) =>
          raw({ method: 'GET', target: page === undefined ? target : withPage(target, pageParam, page) }),
        { envelope },
      ),
  };
}

/** What a call is about, in words. */
function askedFor(call: Call, request: HttpRequest): Asked {
  const { operation, ids = [], body = {}, query } = call;
  const included = [...(query?.include ?? []), ...(query?.optional ?? [])];
  return {
    ...(included.length > 0 && { included }),
    method: request.method,
    path: request.target,
    what: nameOf(operation, ids),
    operation,
    fields: Object.keys(body),
  };
}

/** `supplier 42`, `item 7 of supplier 42`, or `suppliers`. */
export function nameOf({ resource, effect, link }: Operation, ids: readonly string[]): string {
  const { noun, nouns } = resource;
  if (link) return `${link.suffix} ${ids[1]} of ${noun} ${ids[0]}`;
  if (ids.length === 1) return `${noun} ${ids[0]}`;
  return effect === 'list' ? nouns : noun;
}

/** A 401 ends everything, a 403 all use of the operation: after 60 of them services block the address for an hour. */
function rememberRefusal(refused: Map<string, Failure>, answer: HttpAnswer, asked: Asked): void {
  if (answer.status === 401) refused.set(everything, refusal(answer, asked));
  if (answer.status === 403 && asked.operation) refused.set(keyOf(asked), refusal(answer, asked));
}

/** Another process may have been refused with the same token. */
function recall(refused: Map<string, Failure>, refusedToken: RefusedToken | undefined): void {
  const failure = refusedToken?.recall();
  if (failure) refused.set(everything, failure);
}

/** Before the first request: what others find out while it waits counts too. */
async function admit(
  refused: Map<string, Failure>,
  refusedToken: RefusedToken | undefined,
  signal: AbortSignal | undefined,
): Promise<() => void> {
  recall(refused, refusedToken);
  const isKnown = refused.size > 0 || !refusedToken?.admit;
  if (isKnown) return () => {};
  const over = await refusedToken.admit?.(signal);
  recall(refused, refusedToken);
  return over ?? (() => {});
}

function stopIfRefused(refused: Map<string, Failure>, asked: Asked): void {
  const { included: _, ...plain } = asked;
  const failure = refused.get(everything) ?? refused.get(keyOf(plain)) ?? refused.get(keyOf(asked));
  if (failure) throw failure;
}

const everything = '';

/** What a request includes may be what is refused. */
function keyOf({ operation, included = [], method, path }: Asked): string {
  return operation ? [operation.resource.name, operation.verb, ...included].join(' ') : `${method} ${path}`;
}

function isRead({ method }: Pick<RawRequest, 'method'>, operation: Operation | undefined): boolean {
  return (method === 'GET' || method === 'HEAD') && !(operation && isWrite(operation));
}

function withPage(target: string, param: string, page: number): string {
  return `${target}${target.includes('?') ? '&' : '?'}${encodeURIComponent(param)}=${page}`;
}

function unanswered(error: TransportError, { method, path }: Asked, signal?: AbortSignal): Failure {
  const interruption = signal?.aborted && signal.reason instanceof Failure ? signal.reason : undefined;
  return new Failure(interruption?.category ?? 'unavailable', interruption?.message ?? error.message, {
    ...interruption?.details,
    request: { method, path },
    ...(error.hint && { hint: error.hint }),
    cause: error,
  });
}
