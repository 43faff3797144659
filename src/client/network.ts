/** The transport over the network: undici with keep-alive, proxies, and bounds on time and memory. */

import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'undici/types/header.js';
import type { Environment } from '../base/environment.ts';
import { Failure } from '../base/errors.ts';
import { withSystemAuthorities } from '../base/system-authorities.ts';
import { type Connections, openConnections } from './connections.ts';
import { explainNetworkError } from './network-errors.ts';
import { proxyFor } from './proxy-setting.ts';
import { type HttpRequest, type HttpResponse, type Transport, TransportError } from './transport.ts';

/** The default maximum size of a response, in bytes. A page of 50 rows is much smaller. */
const defaultMaxResponseBytes = 32 * 1024 * 1024;

/** The longest time to open a connection, in ms. */
const maxConnectMs = 10_000;

/** The options of a network transport. */
export interface NetworkOptions {
  /** The base URL, such as `https://api.example.com`. Its path is prepended to every target. */
  baseUrl: string;
  /** Limits a whole exchange, from connecting to the last byte. */
  timeoutMs: number;
  /** The environment with the proxy settings: HTTPS_PROXY, ALL_PROXY, NO_PROXY. */
  env: Environment;
  /** The maximum size of a response, in bytes. */
  maxResponseBytes?: number;
}

/**
 * Returns a transport over the network. It trusts the authorities of `withSystemAuthorities`. Redirects are never
 * followed. Throws a usage failure if the environment names a proxy that can't be used.
 */
export function networkTransport(options: NetworkOptions): Transport {
  const { baseUrl, timeoutMs, env, maxResponseBytes = defaultMaxResponseBytes } = options;
  const service = new URL(baseUrl);
  const prefix = service.pathname === '/' ? '' : service.pathname;
  const proxy = proxyFor(service, env);
  const connectMs = Math.min(timeoutMs, maxConnectMs);
  const limits = { connectMs, maxResponseBytes };
  const connect = async () =>
    openConnections(
      service.origin,
      limits,
      proxy && (await import('./proxy-dispatcher.ts')).proxyDispatcher(proxy.url),
    );
  let pendingConnections: Promise<Connections> | undefined;

  return async (request, signal) => {
    signal?.throwIfAborted();
    let isSent = false;
    const options = {
      origin: service.origin,
      timeoutMs,
      signal,
      onSend() {
        isSent = true;
      },
    };
    try {
      return await withSystemAuthorities(async () => {
        pendingConnections ??= connect();
        const connections = await pendingConnections;
        if (request.isWrite) await connections.awaitClose();
        return exchange(connections, { ...request, target: prefix + request.target }, options);
      });
    } catch (error) {
      if (error instanceof TransportError) throw error;
      if (signal?.aborted) {
        void pendingConnections?.then((connections) => connections.abort());
        pendingConnections = undefined;
        throw new TransportError('Interrupted.', { mayHaveArrived: isSent, isPermanent: true, cause: error });
      }
      if (error instanceof Failure) throw error;
      throw explainNetworkError(error, {
        host: service.host,
        proxy: proxy && { host: proxy.url.host, variable: proxy.variable },
        timeoutMs,
        connectMs,
        isSent,
        isTimedOut: error instanceof ExchangeTimeout,
      });
    }
  };
}

/** The options of one exchange. */
export interface ExchangeOptions {
  origin: string;
  /** Limits the time to the last byte, including connecting. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** Called right before the first byte is sent: until then, nothing of the request can have arrived. */
  onSend(): void;
}

/** The error of an exchange that took too long. */
class ExchangeTimeout extends Error {}

/**
 * Sends a request and returns its response. undici's `request` would keep a stream, a signal and a timer for each
 * response, and a URL would normalize `..%2Fx` and brackets, which the dispatcher sends unchanged. Nothing outlives the
 * response here: no timer, no listener. It is a function on purpose: as an object with this state it kept responses alive
 * longer, 25 MB in a list of 3,000 pages.
 */
export function exchange(
  connections: Connections,
  { method, target, headers, body }: HttpRequest,
  { origin, timeoutMs, signal, onSend }: ExchangeOptions,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    let abort: ((reason: Error) => void) | undefined;
    let isOver = false;
    let response: Pick<HttpResponse, 'status' | 'headers'> = { status: 0, headers: {} };
    const chunks: Buffer[] = [];

    const finish = () => {
      isOver = true;
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    const fail = (error: Error) => {
      if (isOver) return;
      finish();
      reject(error);
      abort?.(error);
    };
    const timer = setTimeout(() => fail(new ExchangeTimeout()), timeoutMs);
    const onAbort = () => fail(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });

    const { mustClose: reset } = connections;
    connections.dispatcher.dispatch(
      { origin, path: target, method: method as 'GET', headers, body: body ?? null, reset },
      {
        onRequestStart(controller) {
          abort = (reason) => controller.abort(reason);
          // The request has timed out or was canceled: it isn't sent.
          if (isOver) return controller.abort(new ExchangeTimeout());
          connections.onSend();
          onSend();
        },
        onResponseStart(_, status, rawHeaders) {
          // An interim response, such as 103: the real one follows.
          if (status < 200) return;
          response = { status, headers: singleHeaders(rawHeaders) };
          const { 'content-encoding': encoding = 'identity' } = response.headers;
          if (encoding !== 'identity') fail(encodingError(encoding));
        },
        onResponseData(_, chunk) {
          chunks.push(chunk);
        },
        onResponseEnd() {
          if (isOver) return;
          finish();
          connections.onResponse(response.headers.connection === 'close');
          const bytes = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
          const text = bytes.toString('utf8');
          resolve({
            ...response,
            body: text.startsWith('\uFEFF') ? text.slice(1) : text,
            isValidUtf8: isUtf8(bytes),
          });
        },
        onResponseError(_, error) {
          fail(error);
        },
      },
    );
  });
}

function encodingError(encoding: string): TransportError {
  return new TransportError(`The service returned ${encoding} encoding, which boh didn't request.`, {
    mayHaveArrived: true,
    isPermanent: true,
  });
}

function singleHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const single: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    single[name.toLowerCase()] = Array.isArray(value) ? (value.at(-1) ?? '') : (value ?? '');
  }
  return single;
}
