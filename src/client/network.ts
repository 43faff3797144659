/** The transport over the network: undici with keep-alive, proxies, and bounds on time and memory. */

import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'undici/types/header.js';
import type { Environment } from '../base/environment.ts';
import { usage } from '../base/errors.ts';
import { isLoopback } from '../base/loopback.ts';
import { type Connections, openConnections } from './connections.ts';
import { explainNetworkError } from './network-errors.ts';
import { type HttpAnswer, type HttpRequest, type Transport, TransportError } from './transport.ts';

/** The longest answer that is read, in bytes, unless less will do: a page of 50 rows comes nowhere near it. */
const defaultMaxAnswerBytes = 32 * 1024 * 1024;

/** Where a host is there at all, it takes a connection far sooner. */
const maxConnectMs = 10_000;

/** What a network transport is created with. */
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
  const { baseUrl, timeoutMs, env, longestAnswer = defaultMaxAnswerBytes } = options;
  const service = new URL(baseUrl);
  const prefix = service.pathname === '/' ? '' : service.pathname;
  const proxy = proxyFor(service, env);
  const connectMs = Math.min(timeoutMs, maxConnectMs);
  const limits = { connectMs, longestAnswer };
  const open = async () =>
    openConnections(
      service.origin,
      limits,
      proxy && (await import('./proxy-dispatcher.ts')).proxyDispatcher(proxy.url),
    );
  let opened: Promise<Connections> | undefined;

  return async (request, signal) => {
    signal?.throwIfAborted();
    let isSent = false;
    opened ??= open();
    const connections = await opened;
    if (request.isWrite) await connections.awaitClose();
    try {
      return await exchange(
        connections,
        { ...request, target: prefix + request.target },
        {
          origin: service.origin,
          timeoutMs,
          signal,
          onSend() {
            isSent = true;
          },
        },
      );
    } catch (error) {
      if (error instanceof TransportError) throw error;
      if (signal?.aborted) {
        connections.cut();
        opened = undefined;
        throw new TransportError('Interrupted.', { mayHaveArrived: isSent, isLasting: true, cause: error });
      }
      throw explainNetworkError(error, {
        host: service.host,
        proxy: proxy && { host: proxy.url.host, variable: proxy.variable },
        timeoutMs,
        connectMs,
        isSent,
        isTimedOut: error instanceof Overtime,
      });
    }
  };
}

/** How one request is exchanged for an answer. */
export interface ExchangeOptions {
  origin: string;
  /** From now to the last byte, connecting included. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** Is called when the first byte is about to be sent: before that, nothing of the request can have arrived. */
  onSend(): void;
}

/** The whole exchange took longer than it may. */
class Overtime extends Error {}

/**
 * undici's `request` would keep a stream, a signal and a timer for each answer. Its dispatcher also sends the path as it
 * is, where a URL would tidy up `..%2Fx` and brackets. Nothing outlives the answer here: no timer, no listener.
 * It is a function on purpose: as an object with this state it kept answers alive longer, 25 MB in a list of 3,000 pages.
 */
export function exchange(
  connections: Connections,
  { method, target, headers, body }: HttpRequest,
  { origin, timeoutMs, signal, onSend }: ExchangeOptions,
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    let abort: ((reason: Error) => void) | undefined;
    let isOver = false;
    let answer: Pick<HttpAnswer, 'status' | 'headers'> = { status: 0, headers: {} };
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
    const timer = setTimeout(() => fail(new Overtime()), timeoutMs);
    const onAbort = () => fail(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });

    const { mustClose: reset } = connections;
    connections.dispatcher.dispatch(
      { origin, path: target, method: method as 'GET', headers, body: body ?? null, reset },
      {
        onRequestStart(controller) {
          abort = (reason) => controller.abort(reason);
          // The request has timed out or was canceled: it isn't sent.
          if (isOver) return controller.abort(new Overtime());
          connections.onSend();
          onSend();
        },
        onResponseStart(_, status, given) {
          // An interim answer, such as 103: the real one follows.
          if (status < 200) return;
          answer = { status, headers: singleHeaders(given) };
          const { 'content-encoding': encoding = 'identity' } = answer.headers;
          if (encoding !== 'identity') fail(encoded(encoding));
        },
        onResponseData(_, chunk) {
          chunks.push(chunk);
        },
        onResponseEnd() {
          if (isOver) return;
          finish();
          connections.onAnswer(answer.headers.connection === 'close');
          const bytes = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
          const text = bytes.toString('utf8');
          resolve({
            ...answer,
            body: text.startsWith('\uFEFF') ? text.slice(1) : text,
            isText: isUtf8(bytes),
          });
        },
        onResponseError(_, error) {
          fail(error);
        },
      },
    );
  });
}

function encoded(encoding: string): TransportError {
  return new TransportError(`The service answers in ${encoding} encoding, which boh didn't request.`, {
    mayHaveArrived: true,
    isLasting: true,
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

/** A proxy from the environment. */
export interface ProxySetting {
  url: URL;
  /** The variable that names it, for messages. */
  variable: string;
}

/**
 * HTTPS_PROXY or HTTP_PROXY by the scheme of the service, unless NO_PROXY lists its host; of each the lower-case
 * spelling goes first, even when it is empty. Throws a usage failure for an address that can't be used.
 */
export function proxyFor(service: URL, env: Environment): ProxySetting | undefined {
  const name = service.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const text = (env[name.toLowerCase()] ?? env[name] ?? '').trim();
  if (text === '' || isListed(service, env.no_proxy ?? env.NO_PROXY ?? '')) return undefined;
  const url = readProxy(text, name);
  // Plain http goes to this machine only, and through another machine the token would leave in the clear.
  return service.protocol === 'http:' && !isLoopback(url.hostname) ? undefined : { url, variable: name };
}

/** The message never repeats the text: it may hold a password. */
function readProxy(text: string, variable: string): URL {
  const address = text.includes('://') ? text : `http://${text}`;
  if (URL.canParse(address)) {
    const url = new URL(address);
    if (url.protocol === 'http:' || url.protocol === 'https:') return url;
  }
  throw usage(`The proxy address in ${variable} can't be used.`, {
    hint: `It must look like http://proxy.example.com:8080. Fix ${variable}, or unset it to use no proxy.`,
  });
}

/** NO_PROXY: hosts with commas or spaces between them; a domain counts for all below it, `*` for everything. */
function isListed({ hostname, port, protocol }: URL, list: string): boolean {
  const servicePort = port || (protocol === 'https:' ? '443' : '80');
  const host = bare(hostname);
  return list.split(/[\s,]+/).some((entry) => {
    const [, name = entry, entryPort] = /^(\[.*\]|[^:]*):(\d+)$/.exec(entry) ?? [];
    if (entryPort !== undefined && entryPort !== servicePort) return false;
    const domain = bare(name).replace(/^\*?\./, '');
    return domain === '*' || (domain !== '' && (host === domain || host.endsWith(`.${domain}`)));
  });
}

/** Without the brackets of IPv6 and the dot at the end of a full name. */
function bare(host: string): string {
  return host.toLowerCase().replaceAll(/^\[|\]$|\.$/g, '');
}
