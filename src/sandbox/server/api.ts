/** Serves the API and the token endpoint over HTTP: reads, handles and logs requests, and sends responses. */
import type { IncomingMessage, RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../base/errors.ts';
import { type Delivery, deliver } from '../faults/deliver.ts';
import type { FaultDecision } from '../faults/engine.ts';
import { createFaultReader } from '../faults/stored-plan.ts';
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
  const readFaults = createFaultReader(sandbox.database);

  return (incoming, outgoing) => {
    const exchange = { incoming, outgoing };
    const startedAtMs = performance.now();
    handleRequest(exchange, startedAtMs).catch((error) => sendError(error, exchange, options));
  };

  async function handleRequest(exchange: HttpExchange, startedAtMs: number): Promise<void> {
    const { incoming } = exchange;
    const request = await readRequest(incoming);
    const { version, now: receivedAtMs } = sandbox.current();
    const decision =
      readFaults(version)?.decide(faultInput(request, options.apiPrefix), receivedAtMs) ?? noFault;
    const hasStopped = await waitOrStop(decision.delayMs, options.stopping);
    // The request is skipped if the client has disconnected.
    const delivery =
      hasStopped || incoming.socket.destroyed
        ? stoppedDelivery
        : await deliver(decision, () => respond(sandbox, request, options));
    const { response } = delivery;
    logRequest({ request, response, receivedAtMs, startedAtMs, fault: describeFault(decision) });
    send(delivery, exchange);
  }

  function logRequest({ request, response, receivedAtMs, startedAtMs, fault }: CompletedRequest): void {
    log.add({
      receivedAtMs,
      method: request.method,
      target: request.target,
      authorization: request.headers.authorization ?? '',
      requestBody: request.body,
      status: response.status,
      responseBody: response.body,
      milliseconds: performance.now() - startedAtMs,
      fault,
    });
  }
}

interface CompletedRequest {
  request: ServiceRequest;
  response: ServiceResponse;
  /** The sandbox's time, in milliseconds since 1970. */
  receivedAtMs: number;
  /** The time of the process, from performance.now(). */
  startedAtMs: number;
  fault?: string | undefined;
}

/** Handles a request and returns its response. Errors are converted to responses too, so that they are logged. */
async function respond(
  sandbox: Sandbox,
  request: ServiceRequest,
  options: ServingOptions,
): Promise<ServiceResponse> {
  try {
    return await serviceResponse(sandbox, request, options);
  } catch (error) {
    return error === options.stopping.reason ? stoppedResponse : errorResponse(error, options);
  }
}

async function serviceResponse(
  sandbox: Sandbox,
  request: ServiceRequest,
  { isStrict = false, stopping: signal, busyTimeoutMs: timeoutMs }: ServingOptions,
): Promise<ServiceResponse> {
  // The path of the token exchange never has the prefix (API document: "Authentication", 3).
  if (request.target.split('?')[0] !== '/oauth/token') return sandbox.respond(request, { signal, timeoutMs });
  if (request.method !== 'POST') return methodNotAllowed(request.method, ['POST']).response();
  refuseEncoded(request.headers);
  const { 'content-type': contentType = '', authorization = '' } = request.headers;
  const tokenRequest = { contentType, authorization, body: request.body };
  const work = () =>
    exchangeCode(tokenRequest, {
      isStrict,
      database: sandbox.database,
      now: sandbox.clock.now(),
      createToken: (grant) => sandbox.createToken(grant),
    });
  return sandbox.whenUnlocked(work, { signal, timeoutMs });
}

/** Waits for the delay, or until the server stops. Returns whether the server has stopped. */
async function waitOrStop(delayMs: number, signal: AbortSignal): Promise<boolean> {
  if (delayMs > 0) await sleep(delayMs, undefined, { signal }).catch(() => {});
  return signal.aborted;
}

const stoppedResponse = failureResponse(
  new Failure('unavailable', 'The sandbox is stopping. The request was not handled.', {
    outcome: 'not_sent',
  }),
);

const stoppedDelivery: Delivery = { response: stoppedResponse, sentPart: 'whole' };

const noFault: FaultDecision = { delayMs: 0, headers: {} };

/** Returns the properties of a request that fault rules match: its path is without the prefix. */
function faultInput({ method, target, headers }: ServiceRequest, prefix: string) {
  const [path = ''] = target.split('?');
  const isUnderPrefix = prefix !== '' && path.startsWith(`${prefix}/`);
  return {
    method,
    path: isUnderPrefix ? path.slice(prefix.length) : path,
    token: headers.authorization ?? '',
  };
}

function describeFault({ delayMs, fault }: FaultDecision): string | undefined {
  const effects = [delayMs > 0 && `waited ${delayMs} ms`, fault?.fault.replaceAll('_', ' ')].filter(Boolean);
  return effects.length > 0 ? effects.join(', ') : undefined;
}

/** Sends an error response to a request that can't be read. The rest of the request isn't read. */
function sendError(error: unknown, exchange: HttpExchange, options: ServingOptions): void {
  if (hasDisconnected(exchange.incoming)) return;
  const { status, headers, body } = errorResponse(error, options);
  const isComplete = exchange.incoming.complete;
  sendWhole({ status, headers: { ...headers, ...(!isComplete && { connection: 'close' }) }, body }, exchange);
}

function hasDisconnected(incoming: IncomingMessage): boolean {
  return incoming.socket.destroyed || (incoming.destroyed && !incoming.complete);
}
