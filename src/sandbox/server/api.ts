/** Serves the API and the token endpoint over HTTP: reads, handles and logs requests, and sends responses. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../base/errors.ts';
import { isBusy } from '../../base/storage/failures.ts';
import {
  createFaultReader,
  type Delivery,
  deliver,
  type FaultDecision,
  pathWithoutPrefix,
} from '../faults/engine.ts';
import {
  HttpError,
  jsonResponse,
  methodNotAllowed,
  type ServiceRequest,
  type ServiceResponse,
  tooLarge,
} from '../http/message.ts';
import { refuseEncoded } from '../http/request.ts';
import type { RequestLog } from '../inspector/request-log.ts';
import { exchangeCode } from '../oauth/exchange.ts';
import type { Sandbox } from '../service.ts';

export interface ServingOptions {
  apiPrefix: string;
  /** The path of the sandbox's base URL; empty by default. */
  mount?: string | undefined;
  /** Whether authorization requests are approved without showing the consent page. */
  isAutoApproved: boolean;
  /** Whether only OAuth requests in the format of the API document are accepted. */
  isStrict?: boolean;
  /** The registered redirect URI. Without one, every local URL is allowed. */
  redirectUri?: string | undefined;
  createOpenApi(baseUrl: string): object;
  /** The maximum time to wait for another process that has locked the sandbox, in milliseconds. */
  busyTimeoutMs?: number | undefined;
  /** A signal that is aborted when the server stops. */
  stopping: AbortSignal;
  /** A function that is called with unexpected errors. */
  onUnexpectedError(error: unknown): void;
}

/** A request and its response in Node's HTTP server. */
interface HttpExchange {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
}

/** Handles a request: applies faults, responds and logs it. `isAbandoned` returns whether the client has disconnected. */
export type RequestHandler = (request: ServiceRequest, isAbandoned?: () => boolean) => Promise<Delivery>;

/** Returns the listener for API requests over HTTP. */
export function apiListener(handle: RequestHandler, options: ServingOptions): RequestListener {
  return (incoming, outgoing) => {
    const exchange = { incoming, outgoing };
    readRequest(incoming)
      .then((request) => handle(request, () => incoming.socket.destroyed))
      .then((delivery) => send(delivery, exchange))
      .catch((error) => sendError(error, exchange, options));
  };
}

/** Returns the handler of the API requests of a sandbox. */
export function createHandler(sandbox: Sandbox, log: RequestLog, options: ServingOptions): RequestHandler {
  const readFaults = createFaultReader(sandbox.database);

  return async (request, isAbandoned = () => false) => {
    const startedAtMs = performance.now();
    const { version, now: receivedAtMs } = sandbox.current();
    const decision =
      readFaults(version)?.decide(faultInput(request, options.apiPrefix), receivedAtMs) ?? noFault;
    const hasStopped = await waitOrStop(decision.delayMs, options.stopping);
    // The request is skipped if the client has disconnected.
    const delivery =
      hasStopped || isAbandoned()
        ? stoppedDelivery
        : await deliver(decision, () => respond(sandbox, request, options));
    const { response } = delivery;
    logRequest({ request, response, receivedAtMs, startedAtMs, fault: describeFault(decision) });
    return delivery;
  };

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
  { isStrict = false, mount = '', stopping, busyTimeoutMs: timeoutMs }: ServingOptions,
): Promise<ServiceResponse> {
  // A request that has arrived is handled while the server stops, but doesn't wait for another process.
  const wait = stopping.aborted ? { timeoutMs: 0 } : { signal: stopping, timeoutMs };
  // The path of the token exchange never has the prefix (API document: "Authentication", 3).
  if (request.target.split('?')[0] !== `${mount}/oauth/token`) return sandbox.respond(request, wait);
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
  return sandbox.whenUnlocked(work, wait);
}

/** Waits for the delay, or until the server stops. Returns whether the server stopped before the end of the delay. */
async function waitOrStop(delayMs: number, signal: AbortSignal): Promise<boolean> {
  if (delayMs === 0) return false;
  await sleep(delayMs, undefined, { signal }).catch(() => {});
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
  return {
    method,
    path: pathWithoutPrefix(target, prefix),
    token: headers.authorization ?? '',
  };
}

function describeFault({ delayMs, fault }: FaultDecision): string | undefined {
  const effects = [delayMs > 0 && `waited ${delayMs} ms`, fault?.fault.replaceAll('_', ' ')].filter(Boolean);
  return effects.length > 0 ? effects.join(', ') : undefined;
}

/** Sends an error response to a request that can't be read. The rest of the request isn't read. */
export function sendError(
  error: unknown,
  exchange: HttpExchange,
  options: Pick<ServingOptions, 'onUnexpectedError'>,
): void {
  if (hasDisconnected(exchange.incoming)) return;
  const { status, headers, body } = errorResponse(error, options);
  const isComplete = exchange.incoming.complete;
  sendWhole({ status, headers: { ...headers, ...(!isComplete && { connection: 'close' }) }, body }, exchange);
}

function hasDisconnected(incoming: IncomingMessage): boolean {
  return incoming.socket.destroyed || (incoming.destroyed && !incoming.complete);
}

/** The maximum number of stored body bytes: one more than the service accepts, so that the service refuses the body. */
const maxStoredBytes = 1_048_577;

/** The maximum number of read body bytes. Too large bodies are read too, so that the client receives the response. */
const maxReadBytes = 64 * 1_048_576;

/** Reads a request. Throws if the client disconnects or the body is too long. */
export async function readRequest(incoming: IncomingMessage): Promise<ServiceRequest> {
  const { method = '', url = '', headers } = incoming;
  const body = hasBody(incoming) ? await readBody(incoming) : emptyBody;
  // Only the set-cookie header is a list, and requests don't have it.
  return { method, target: url, headers: headers as Record<string, string>, body };
}

/**
 * Moves the host of an absolute URL to the host header, which it overrides (RFC 9112, 3.2.2). Clients that use the
 * sandbox as a proxy send absolute URLs.
 */
export function useHostInUrl(incoming: IncomingMessage): void {
  if (incoming.url?.startsWith('/') !== false) return;
  const [, host, target = ''] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(incoming.url) ?? [];
  if (host === undefined) return;
  incoming.headers.host = host;
  incoming.url = target.startsWith('/') ? target : `/${target}`;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

const emptyBody = new Uint8Array();

/** Reads the body. Throws if the client disconnects or the body is too long, and stops reading then. */
function readBody(incoming: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let [readBytes, storedBytes] = [0, 0];
  return new Promise((resolve, reject) => {
    incoming.on('data', (chunk: Uint8Array) => {
      readBytes += chunk.byteLength;
      if (storedBytes < maxStoredBytes) {
        chunks.push(chunk);
        storedBytes += chunk.byteLength;
      }
      if (readBytes > maxReadBytes) {
        incoming.pause();
        reject(tooLarge('The body is too long.'));
      }
    });
    incoming.on('end', () => resolve(Buffer.concat(chunks)));
    incoming.on('error', reject);
  });
}

/** Sends a response, or the part of it that a fault determines. */
function send({ response, sentPart }: Delivery, exchange: HttpExchange): void {
  if (sentPart === 'whole') sendWhole(response, exchange);
  else if (sentPart === 'none') exchange.incoming.socket.resetAndDestroy();
  else sendHalf(response, exchange);
}

/** Sends a whole response. HEAD gets the headers of a GET. Does nothing if the client has disconnected. */
export function sendWhole(
  { status, headers, body }: ServiceResponse,
  { incoming, outgoing }: HttpExchange,
): void {
  if (outgoing.destroyed) return;
  const length = status === noContentStatus ? undefined : { 'content-length': Buffer.byteLength(body) };
  outgoing.writeHead(status, { ...headers, ...length });
  outgoing.end(incoming.method === 'HEAD' ? undefined : body);
}

/** The status of responses without a body. */
const noContentStatus = 204;

/** Sends half of a response and disconnects. A response without a body gets a content-length, so that it is incomplete. */
function sendHalf({ status, headers, body }: ServiceResponse, { incoming, outgoing }: HttpExchange): void {
  const bytes = Buffer.from(body);
  outgoing.writeHead(status, { ...headers, 'content-length': Math.max(bytes.length, 64) });
  outgoing.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => incoming.socket.destroy());
}

/** Returns the response for an error. Reports unexpected errors to `onUnexpectedError`. */
export function errorResponse(
  error: unknown,
  { onUnexpectedError }: Pick<ServingOptions, 'onUnexpectedError'>,
): ServiceResponse {
  if (error instanceof HttpError) return error.response();
  if (error instanceof Failure) return failureResponse(error);
  onUnexpectedError(error);
  return jsonResponse(500, { message: 'Server Error.' });
}

/**
 * Returns the response for a failure. The header `x-boh-outcome` is the outcome of a write, if the failure has one:
 * `not_sent` means that no change was written.
 */
function failureResponse(failure: Failure): ServiceResponse {
  const { outcome } = failure.details;
  return jsonResponse(
    503,
    { message: failure.message },
    {
      ...(isBusy(failure) && { 'retry-after': '1' }),
      ...(outcome !== undefined && { 'x-boh-outcome': outcome }),
    },
  );
}
