/** The transport over the network: undici with keep-alive, proxies, and bounds on time and memory. Loaded lazily. */
import { Agent, type Dispatcher, ProxyAgent } from 'undici';
import type { IncomingHttpHeaders } from 'undici/types/header.js';
import { explainNetworkError } from './network-errors.ts';
import { type Environment, type ProxySetting, proxyFor } from './proxy.ts';
import { type HttpAnswer, type HttpRequest, type Transport, TransportError } from './transport.ts';

/** The longest answer that is read, in bytes, unless less will do: a page of 50 rows comes nowhere near it. */
const usualLongest = 32 * 1024 * 1024;

/** Where a host is there at all, it takes a connection far sooner. */
const longestConnectMs = 10_000;

export interface NetworkOptions {
  /** `https://api.example.com`; a path in it stands before every target. */
  baseUrl: string;
  /** Bounds a whole exchange, connecting and the last byte included. */
  timeoutMs: number;
  /** Proxy settings are read from it: HTTP_PROXY, HTTPS_PROXY, NO_PROXY. */
  env: Environment;
  /** In bytes. */
  longestAnswer?: number;
}

/**
 * Extra certificate authorities come from NODE_EXTRA_CA_CERTS, which Node itself reads. Redirects are never followed.
 * Throws a usage failure where the environment names a proxy that can't be used.
 */
export function networkTransport(options: NetworkOptions): Transport {
  const { baseUrl, timeoutMs, env, longestAnswer = usualLongest } = options;
  const service = new URL(baseUrl);
  const prefix = service.pathname === '/' ? '' : service.pathname;
  const proxy = proxyFor(service, env);
  const connectMs = Math.min(timeoutMs, longestConnectMs);
  const limits = { connectMs, longestAnswer };
  let connections = openConnections(proxy, limits);

  return async (request, signal) => {
    signal?.throwIfAborted();
    const limit = AbortSignal.timeout(timeoutMs);
    const until = signal ? AbortSignal.any([signal, limit]) : limit;
    let hasLeft = false;
    const watched = watchDeparture(connections.dispatcher, () => {
      hasLeft = true;
    });
    const sent = { ...request, target: prefix + request.target };
    try {
      return await unlessAborted(until, exchange(watched, service.origin, sent, until));
    } catch (error) {
      if (error instanceof TransportError) throw error;
      if (signal?.aborted) {
        connections.cut();
        connections = openConnections(proxy, limits);
        throw new TransportError('Interrupted.', { mayHaveArrived: hasLeft, isLasting: true, cause: error });
      }
      throw explainNetworkError(error, {
        host: service.host,
        proxy: proxy && { host: proxy.url.host, variable: proxy.variable },
        timeoutMs,
        connectMs,
        hasLeft,
        isOver: limit.aborted,
      });
    }
  };
}

interface Connections {
  dispatcher: Dispatcher;
  /** Ends them all, also those that are only being made and would keep the process from ending. */
  cut(): void;
}

function openConnections(
  proxy: ProxySetting | undefined,
  { connectMs, longestAnswer }: { connectMs: number; longestAnswer: number },
): Connections {
  const life = new AbortController();
  // Said outright, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment can't switch it off.
  const socket = { rejectUnauthorized: true, timeout: connectMs, signal: life.signal };
  const options = {
    // One protocol to reason about; HTTP/2 would also be slower to load, and the release leaves it out.
    allowH2: false,
    // A pool would open a second one for every request that closely follows another. Services that take 90 requests
    // a minute need no more.
    connections: 1,
    maxResponseSize: longestAnswer,
    // The whole exchange is bounded already.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const dispatcher =
    proxy === undefined
      ? new Agent({ ...options, connect: socket })
      : new ProxyAgent({ ...options, uri: proxy.url.href, requestTls: socket, proxyTls: socket });
  return { dispatcher, cut: () => life.abort() };
}

/** Tells when the first byte of a request is about to go out: before that, nothing of it can have arrived. */
function watchDeparture(dispatcher: Dispatcher, onDeparture: () => void): Dispatcher {
  return dispatcher.compose((dispatch) => (options, handler) => {
    const start = handler.onRequestStart;
    handler.onRequestStart = function (...given) {
      onDeparture();
      start?.apply(this, given);
    };
    return dispatch(options, handler);
  });
}

/** undici itself heeds a signal only once it is connected. */
function unlessAborted<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([work, aborted]);
}

async function exchange(
  dispatcher: Dispatcher,
  origin: string,
  { method, target, headers, body }: HttpRequest,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  // The dispatcher is asked directly: it sends the path as it is, where a URL would tidy up `..%2Fx` and brackets.
  const answer = await dispatcher.request({
    origin,
    path: target,
    method,
    headers,
    body: body ?? null,
    signal,
  });
  const encoding = answer.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') {
    answer.body.on('error', () => {}).destroy();
    throw new TransportError(
      `The service answers in ${String(encoding)} encoding, which was not asked for.`,
      {
        mayHaveArrived: true,
        isLasting: true,
      },
    );
  }
  return {
    status: answer.statusCode,
    headers: singleHeaders(answer.headers),
    body: await answer.body.text(),
  };
}

function singleHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [
    name.toLowerCase(),
    Array.isArray(value) ? (value.at(-1) ?? '') : (value ?? ''),
  ]);
  return Object.fromEntries(entries) as Record<string, string>;
}
