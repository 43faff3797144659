/** Serves the API and the exchange of codes over HTTP: each request is read, answered, logged and sent. */
import type { IncomingMessage, RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../base/errors.ts';
import { type Delivery, deliver } from '../faults/deliver.ts';
import type { Decision } from '../faults/engine.ts';
import { faultsOf } from '../faults/stored.ts';
import { methodNotAllowed } from '../http/http-error.ts';
import { refuseEncoded } from '../http/json-body.ts';
import type { ServiceRequest, ServiceResponse } from '../http/message.ts';
import type { RequestLog } from '../inspector/request-log.ts';
import { exchangeCode } from '../oauth/exchange.ts';
import type { Sandbox } from '../service.ts';
import type { ServingOptions } from './options.ts';
import { readRequest } from './request.ts';
import { errorResponse, failureResponse, type HttpExchange, send, sendWhole } from './send.ts';

/** Returns the listener for API requests. */
export function apiListener(sandbox: Sandbox, log: RequestLog, options: ServingOptions): RequestListener {
  const faults = faultsOf(sandbox.database);
  const queue = new RequestQueue();

  return (incoming, outgoing) => {
    const exchange = { incoming, outgoing };
    const started = performance.now();
    handleRequest(exchange, started).catch((error) => sendError(error, exchange, options));
  };

  async function handleRequest(exchange: HttpExchange, started: number): Promise<void> {
    const { incoming } = exchange;
    const request = await readRequest(incoming);
    const { version, now: at } = sandbox.current();
    const decision = faults(version)?.decide(faultInput(request, options.apiPrefix), at) ?? noFault;
    const delivery = (await waitOrStop(decision.delayMs, options.stopping))
      ? stoppedDelivery
      : await queue.run(async () =>
          // The client has disconnected.
          incoming.socket.destroyed
            ? stoppedDelivery
            : deliver(decision, () => answer(sandbox, request, options)),
        );
    logRequest({ request, at, answer: delivery.response, started, fault: describeFault(decision) });
    send(delivery, exchange);
  }

  function logRequest({ request, at, answer, started, fault }: CompletedRequest): void {
    log.add({
      at,
      method: request.method,
      target: request.target,
      authorization: request.headers.authorization ?? '',
      requestBody: request.body,
      status: answer.status,
      responseBody: answer.body,
      milliseconds: performance.now() - started,
      fault,
    });
  }
}

interface CompletedRequest {
  request: ServiceRequest;
  answer: ServiceResponse;
  /** The sandbox's time, in milliseconds since 1970. */
  at: number;
  /** The time of the process, from performance.now(). */
  started: number;
  fault?: string | undefined;
}

/** Returns a response in any case: errors are logged like other responses. */
async function answer(
  sandbox: Sandbox,
  request: ServiceRequest,
  options: ServingOptions,
): Promise<ServiceResponse> {
  try {
    return await serviceAnswer(sandbox, request, options);
  } catch (error) {
    return error === options.stopping.reason ? stopped : errorResponse(error, options);
  }
}

async function serviceAnswer(
  sandbox: Sandbox,
  request: ServiceRequest,
  { isStrict = false, stopping: signal, busyTimeout: timeout }: ServingOptions,
): Promise<ServiceResponse> {
  // Its path never has the prefix (document: "Authentication", 3).
  if (request.target.split('?')[0] !== '/oauth/token')
    return sandbox.answer(request, { signal, timeoutMs: timeout });
  if (request.method !== 'POST') return methodNotAllowed(request.method, ['POST']).response();
  refuseEncoded(request.headers);
  const { 'content-type': contentType = '', authorization = '' } = request.headers;
  const token = { contentType, authorization, body: request.body };
  const work = () =>
    exchangeCode(token, {
      isStrict,
      database: sandbox.database,
      now: sandbox.clock.now(),
      createToken: (grant) => sandbox.createToken(grant),
    });
  return sandbox.whenUnlocked(work, { signal, timeoutMs: timeout });
}

/** Waits for the delay, or until the server stops. Returns whether it has stopped. */
async function waitOrStop(delay: number, signal: AbortSignal): Promise<boolean> {
  if (delay > 0) await sleep(delay, undefined, { signal }).catch(() => {});
  return signal.aborted;
}

const stopped = failureResponse(
  new Failure('unavailable', 'The sandbox is stopping; nothing was done.', { outcome: 'not_sent' }),
);

const stoppedDelivery: Delivery = { response: stopped, sent: 'whole' };

const noFault: Decision = { delayMs: 0, headers: {} };

/** Returns a request in the form that fault rules match: without the prefix. */
function faultInput({ method, target, headers }: ServiceRequest, prefix: string) {
  const [path = ''] = target.split('?');
  const isUnderPrefix = prefix !== '' && path.startsWith(`${prefix}/`);
  return {
    method,
    path: isUnderPrefix ? path.slice(prefix.length) : path,
    token: headers.authorization ?? '',
  };
}

function describeFault({ delayMs: delay, fault }: Decision): string | undefined {
  const words = [delay > 0 && `waited ${delay} ms`, fault?.fault.replaceAll('_', ' ')].filter(Boolean);
  return words.length > 0 ? words.join(', ') : undefined;
}

/** Answers a request that could not be read. The rest of it is never read. */
function sendError(error: unknown, exchange: HttpExchange, options: ServingOptions): void {
  if (hasDisconnected(exchange.incoming)) return;
  const { status, headers, body } = errorResponse(error, options);
  const isWhole = exchange.incoming.complete;
  sendWhole({ status, headers: { ...headers, ...(!isWhole && { connection: 'close' }) }, body }, exchange);
}

/** Returns whether the client has disconnected. */
function hasDisconnected(incoming: IncomingMessage): boolean {
  return incoming.socket.destroyed || (incoming.destroyed && !incoming.complete);
}

/** How long requests are answered before others get a turn, in milliseconds. */
const turnMs = 2;

/** Answers requests in the order of their arrival, and lets the event loop run in between. */
export class RequestQueue {
  readonly #waiting: (() => void)[] = [];
  /** The start of the current turn; undefined between turns. */
  #turnStart: number | undefined;

  /** Runs the work immediately if there is time left and nothing waits, and otherwise in turn. */
  run<T>(work: () => Promise<T>): Promise<T> {
    if (this.isFree) return work();
    return new Promise((resolve) => {
      this.#waiting.push(() => resolve(work()));
    });
  }

  /** Whether `run` would start the work immediately. */
  get isFree(): boolean {
    return this.#waiting.length === 0 && this.#hasTime();
  }

  #hasTime(): boolean {
    if (this.#turnStart === undefined) {
      this.#turnStart = performance.now();
      setImmediate(() => this.#continue());
    }
    return performance.now() - this.#turnStart < turnMs;
  }

  /** Continues with the waiting requests; new ones have to wait behind them. */
  #continue(): void {
    this.#turnStart = undefined;
    while (this.#waiting.length > 0 && this.#hasTime()) this.#waiting.shift()?.();
  }
}
