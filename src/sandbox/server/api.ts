/** The API over HTTP, and the exchange of codes beside it: each request is read, answered, recorded and sent. */
import type { IncomingMessage, RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../base/errors.ts';
import { type Delivery, deliver } from '../faults/deliver.ts';
import type { Decision } from '../faults/engine.ts';
import { faultsOf } from '../faults/stored.ts';
import { refuseEncoded } from '../http/json-body.ts';
import type { ServiceRequest, ServiceResponse } from '../http/message.ts';
import { methodNotAllowed } from '../http/refusal.ts';
import type { Journal } from '../inspector/journal.ts';
import { exchange } from '../oauth/exchange.ts';
import type { Sandbox } from '../service.ts';
import type { ServingOptions } from './options.ts';
import { readRequest } from './request.ts';
import { type Exchange, send, sendWhole } from './send.ts';
import { answerTo, failureAnswer } from './trouble.ts';

export function apiListener(sandbox: Sandbox, journal: Journal, options: ServingOptions): RequestListener {
  const faults = faultsOf(sandbox.database);
  const queue = new FairQueue();

  return (incoming, outgoing) => {
    const exchange = { incoming, outgoing };
    const started = performance.now();
    answerAny(exchange, started).catch((error) => sendTrouble(error, exchange, options));
  };

  async function answerAny(exchange: Exchange, started: number): Promise<void> {
    const { incoming } = exchange;
    const request = await readRequest(incoming);
    const { version, now: at } = sandbox.look();
    const decision = faults(version)?.decide(addressed(request, options.apiPrefix), at) ?? asUsual;
    const delivery = (await isStopped(decision.delay, options.stopping))
      ? refused
      : await queue.run(async () =>
          // Nobody waits for it any more.
          incoming.socket.destroyed ? refused : deliver(decision, () => answer(sandbox, request, options)),
        );
    record({ request, at, answer: delivery.answer, started, fault: describe(decision) });
    send(delivery, exchange);
  }

  function record({ request, at, answer, started, fault }: Answered): void {
    journal.add({
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

interface Answered {
  request: ServiceRequest;
  answer: ServiceResponse;
  /** By the sandbox’s clock, in milliseconds since 1970. */
  at: number;
  /** By the clock of the process. */
  started: number;
  fault?: string | undefined;
}

/** Whatever happens: what went wrong is recorded like any answer. */
async function answer(
  sandbox: Sandbox,
  request: ServiceRequest,
  options: ServingOptions,
): Promise<ServiceResponse> {
  try {
    return await serviceAnswer(sandbox, request, options);
  } catch (error) {
    return error === options.stopping.reason ? stopped : answerTo(error, options);
  }
}

async function serviceAnswer(
  sandbox: Sandbox,
  request: ServiceRequest,
  { isStrict = false, stopping: signal, busyTimeout: timeout }: ServingOptions,
): Promise<ServiceResponse> {
  // Never under the prefix. Document: "Authentication", 3.
  if (request.target.split('?')[0] !== '/oauth/token') return sandbox.answer(request, { signal, timeout });
  if (request.method !== 'POST') return methodNotAllowed(request.method, ['POST']).answer();
  refuseEncoded(request.headers);
  const { 'content-type': contentType = '', authorization = '' } = request.headers;
  const token = { contentType, authorization, body: request.body };
  const work = () =>
    exchange(token, {
      isStrict,
      database: sandbox.database,
      now: sandbox.clock.now(),
      mintToken: (grant) => sandbox.mintToken(grant),
    });
  return sandbox.whenFree(work, { signal, timeout });
}

/** Waits as long as it is to; a server that stops waits no more, and does nothing more. */
async function isStopped(delay: number, signal: AbortSignal): Promise<boolean> {
  if (delay > 0) await sleep(delay, undefined, { signal }).catch(() => {});
  return signal.aborted;
}

const stopped = failureAnswer(
  new Failure('unavailable', 'The sandbox is stopping; nothing was done.', { outcome: 'not_sent' }),
);

const refused: Delivery = { answer: stopped, sent: 'whole' };

const asUsual: Decision = { delay: 0, headers: {} };

/** As the rules of a plan name requests. */
function addressed({ method, target, headers }: ServiceRequest, prefix: string) {
  const [path = ''] = target.split('?');
  const isUnderPrefix = prefix !== '' && path.startsWith(`${prefix}/`);
  return {
    method,
    path: isUnderPrefix ? path.slice(prefix.length) : path,
    token: headers.authorization ?? '',
  };
}

function describe({ delay, fault }: Decision): string | undefined {
  const words = [delay > 0 && `waited ${delay} ms`, fault?.fault.replaceAll('_', ' ')].filter(Boolean);
  return words.length > 0 ? words.join(', ') : undefined;
}

/** The request could not even be read. What is left of it never will be. */
function sendTrouble(error: unknown, exchange: Exchange, options: ServingOptions): void {
  if (isGone(exchange.incoming)) return;
  const { status, headers, body } = answerTo(error, options);
  const isWhole = exchange.incoming.complete;
  sendWhole({ status, headers: { ...headers, ...(!isWhole && { connection: 'close' }) }, body }, exchange);
}

/** Whoever sent it went away: nobody is there to be answered. */
function isGone(incoming: IncomingMessage): boolean {
  return incoming.socket.destroyed || (incoming.destroyed && !incoming.complete);
}

/** How long it works before it looks again, in milliseconds. */
const stretch = 2;

export class FairQueue {
  readonly #waiting: (() => void)[] = [];
  /** When the stretch of work under way has begun; undefined between two of them. */
  #began: number | undefined;

  /** At once where there is time left and nobody waits; the work is done as far as it goes without waiting. */
  run<T>(work: () => Promise<T>): Promise<T> {
    if (this.isFree) return work();
    return new Promise((resolve) => {
      this.#waiting.push(() => resolve(work()));
    });
  }

  /** Whether `run` would do its work at once. */
  get isFree(): boolean {
    return this.#waiting.length === 0 && this.#hasTime();
  }

  #hasTime(): boolean {
    if (this.#began === undefined) {
      this.#began = performance.now();
      setImmediate(() => this.#goOn());
    }
    return performance.now() - this.#began < stretch;
  }

  /** What has come meanwhile stands behind those who wait. */
  #goOn(): void {
    this.#began = undefined;
    while (this.#waiting.length > 0 && this.#hasTime()) this.#waiting.shift()?.();
  }
}
