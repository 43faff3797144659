/** A sandbox over HTTP: the API and the exchange of codes, each request recorded, and the pages beside them. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono } from 'hono';
import { Failure } from '../../errors.ts';
import { type Delivery, deliver } from '../faults/deliver.ts';
import type { Decision } from '../faults/engine.ts';
import { faultsOf } from '../faults/stored.ts';
import { failureAnswer } from '../http/failure-answer.ts';
import { refuseEncoded } from '../http/json-body.ts';
import { jsonAnswer, type ServiceRequest, type ServiceResponse } from '../http/message.ts';
import { methodNotAllowed, Refusal } from '../http/refusal.ts';
import { Journal } from '../inspector/journal.ts';
import { inspectorRoutes } from '../inspector/routes.ts';
import { exchange } from '../oauth/exchange.ts';
import { authorizeRoutes } from '../oauth/routes.ts';
import type { Sandbox } from '../service.ts';
import { FairQueue } from './fair.ts';
import { readRequest } from './request.ts';

export interface AppOptions {
  apiPrefix: string;
  /** Approve without asking. */
  isApproving: boolean;
  /** The document alone, without what other people's OAuth clients need. */
  isStrict?: boolean;
  /** The OpenAPI document of the service at an address. */
  describe(baseUrl: string): object;
  /** How long a request waits for another process that keeps the sandbox, in milliseconds. */
  busyTimeout?: number | undefined;
  /** Aborted when the server stops: nothing may go on by itself then. */
  stopping: AbortSignal;
  /** Told of what nobody designed. */
  onBug(error: unknown): void;
}

export function createApp(sandbox: Sandbox, options: AppOptions): Hono<{ Bindings: HttpBindings }> {
  const journal = new Journal();
  const faults = faultsOf(sandbox.database);
  const queue = new FairQueue();
  const app = new Hono<{ Bindings: HttpBindings }>();

  app.route('/', inspectorRoutes(sandbox, journal, options));
  app.route('/', authorizeRoutes(sandbox, options));
  app.get('/openapi.json', (context) => context.json(options.describe(new URL(context.req.url).origin)));

  app.all('*', async ({ env: { incoming, outgoing } }) => {
    const started = performance.now();
    const request = await readRequest(incoming);
    const at = sandbox.clock.now();
    const decision = faults()?.decide(addressed(request, options.apiPrefix), at) ?? asUsual;
    const delivery = (await isStopped(decision.delay, options.stopping))
      ? refused
      : await queue.run(async () =>
          // Nobody waits for it any more.
          incoming.socket.destroyed ? refused : deliver(decision, () => answer(sandbox, request, options)),
        );
    journal.add({
      at,
      method: request.method,
      target: request.target,
      authorization: request.headers.authorization ?? '',
      requestBody: request.body,
      status: delivery.answer.status,
      responseBody: delivery.answer.body,
      milliseconds: performance.now() - started,
      fault: describe(decision),
    });
    return send(delivery, { incoming, outgoing });
  });

  app.onError((error, { env: { incoming } }) => {
    // Whoever sent it went away in the middle: nobody is there to be answered.
    const isGone = incoming.destroyed && !incoming.complete;
    return isGone ? RESPONSE_ALREADY_SENT : responseOf(answerTo(error, options));
  });
  return app;
}

/** Whatever happens: what went wrong is recorded like any answer. */
async function answer(
  sandbox: Sandbox,
  request: ServiceRequest,
  options: AppOptions,
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
  { isStrict = false, stopping: signal, busyTimeout: timeout }: AppOptions,
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

function send({ answer, sent }: Delivery, { incoming, outgoing }: HttpBindings): Response {
  if (sent === 'whole') return incoming.method === 'HEAD' ? headOf(answer) : responseOf(answer);
  if (sent === 'none') {
    incoming.socket.resetAndDestroy();
    return RESPONSE_ALREADY_SENT;
  }
  const body = Buffer.from(answer.body);
  // Where there is no body, one is promised that never comes.
  outgoing.writeHead(answer.status, { ...answer.headers, 'content-length': Math.max(body.length, 64) });
  outgoing.write(body.subarray(0, Math.floor(body.length / 2)), () => incoming.socket.destroy());
  return RESPONSE_ALREADY_SENT;
}

function responseOf({ status, headers, body }: ServiceResponse): Response {
  return new Response(body === '' ? null : body, { status, headers });
}

/** What stands above the body that a GET would have. */
function headOf({ status, headers, body }: ServiceResponse): Response {
  const length = String(Buffer.byteLength(body));
  return new Response(null, { status, headers: { ...headers, 'content-length': length } });
}

function answerTo(error: unknown, { onBug }: AppOptions): ServiceResponse {
  if (error instanceof Refusal) return error.answer();
  if (error instanceof Failure) return failureAnswer(error);
  onBug(error);
  return jsonAnswer(500, { message: 'Server Error.' });
}
