/** The transport over the network: undici with keep-alive, proxies, and bounds on time and memory. */
import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'undici/types/header.js';
import { formatDuration } from '../../base/duration.ts';
import type { Environment } from '../../base/environment.ts';
import { Failure } from '../../base/errors.ts';
import { boh, type Hint } from '../../base/hint.ts';
import { hasUnknownAuthority, withSystemAuthorities } from '../../base/system-authorities.ts';
import { type Connections, openConnections } from './connections.ts';
import { proxyFor } from './proxy-setting.ts';
import { type HttpRequest, type HttpResponse, type Transport, TransportError } from './transport.ts';

/** The default maximum size of a response, in bytes. A page of 50 rows is much smaller. */
const defaultMaxResponseBytes = 32 * 1024 * 1024;

/** The longest time to open a connection, in ms. */
const maxConnectMs = 10_000;

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

export interface Exchange {
  /** The host, with its port unless it is the default one. */
  host: string;
  /** The host of the proxy, if one is used, and the variable that names it. */
  proxy?: { host: string; variable: string } | undefined;
  timeoutMs: number;
  connectMs: number;
  /** Whether any part of the request was sent. */
  isSent: boolean;
  /** Whether the whole exchange took too long. */
  isTimedOut: boolean;
}

interface Explanation {
  message: string;
  hint?: Hint;
  isPermanent?: true;
}

/** Returns the failure for an error code of Node, OpenSSL or undici. */
export function explainNetworkError(error: unknown, exchange: Exchange): TransportError {
  const explanation = explain(codeOf(error), error, exchange);
  return new TransportError(explanation.message, {
    ...explanation,
    mayHaveArrived: exchange.isSent,
    cause: error,
  });
}

function explain(code: string, error: unknown, exchange: Exchange): Explanation {
  const { host, proxy, timeoutMs, connectMs, isSent, isTimedOut } = exchange;
  // Until the request is sent, the error is about the connection to the proxy.
  const peer = proxy ? `The proxy ${proxy.host}` : host;
  const hint = proxy
    ? `The proxy is set in ${proxy.variable}: check its URL, or list ${host} in NO_PROXY to bypass it.`
    : boh.hint`Check your network, --base-url, BOH_BASE_URL and the current URL: ${boh.account('config get', 'base_url')}`;

  if (isTimedOut && isSent) {
    return {
      message: `${host} didn't send a complete response within ${formatDuration(timeoutMs)}.`,
      hint: 'To wait longer: --timeout SECONDS',
    };
  }
  if (isTimedOut || code === 'UND_ERR_CONNECT_TIMEOUT' || (code === 'ETIMEDOUT' && !isSent)) {
    const ms = isTimedOut ? timeoutMs : connectMs;
    return { message: `${peer} didn't accept the connection within ${formatDuration(ms)}.`, hint };
  }
  const proxyStatus = /Proxy response \((\d+)\)|Proxy Authentication Required \((407)\)/.exec(
    messageOf(error),
  );
  if (proxy && proxyStatus)
    return explainProxyRefusal(proxyStatus[1] ?? proxyStatus[2] ?? '', host, proxy, hint);

  if (hasUnknownAuthority(error)) {
    return {
      message: `The certificate of ${host} is not signed by a trusted authority.`,
      hint: 'If it is your own authority, set NODE_EXTRA_CA_CERTS to its certificate file.',
      isPermanent: true,
    };
  }

  switch (code) {
    case 'ENOTFOUND':
      return { message: `The host name ${proxy?.host ?? host} can't be resolved.`, hint, isPermanent: true };
    case 'EAI_AGAIN':
      return { message: `The host name ${proxy?.host ?? host} can't be resolved at the moment.`, hint };
    case 'ECONNREFUSED':
      return { message: `${peer} refused the connection.`, hint };
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ENETDOWN':
    case 'EADDRNOTAVAIL':
      return { message: `${peer} can't be reached from this machine.`, hint };
    case 'CERT_HAS_EXPIRED':
      return untrustedExplanation(`The certificate of ${host} has expired.`);
    case 'CERT_NOT_YET_VALID':
      return untrustedExplanation(
        `The certificate of ${host} is not valid yet, or the clock of this machine is wrong.`,
      );
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return untrustedExplanation(`${host} returned the certificate of another host.`);
    case 'UND_ERR_PRX_TLS':
      return untrustedExplanation(`${peer} returned the certificate of another host.`);
    case 'UND_ERR_RES_EXCEEDED_MAX_SIZE':
      return {
        message: `The response of ${host} is too long, and was not read completely.`,
        isPermanent: true,
      };
    case 'UND_ERR_HEADERS_OVERFLOW':
      return { message: `The response headers of ${host} are too long.`, isPermanent: true };
    default:
      return explainFamily(code, peer, exchange, hint);
  }
}

/** Explains groups of similar codes. */
function explainFamily(code: string, peer: string, { host, isSent }: Exchange, hint: Hint): Explanation {
  if (code === 'HTTPParserError' || code.startsWith('HPE_')) {
    return { message: `The response of ${host} is not HTTP.`, hint, isPermanent: true };
  }
  if (/^ERR_(SSL|TLS)_|^EPROTO$/.test(code)) {
    return {
      message: `No secure connection to ${host} could be established (${code}).`,
      hint,
      isPermanent: true,
    };
  }
  if (/CERT|CRL/.test(code)) {
    return untrustedExplanation(`The certificate of ${host} can't be trusted (${code}).`);
  }
  // Users can look up the system's codes, but not those of undici.
  const codeSuffix = code === '' || code.startsWith('UND_') ? '' : ` (${code})`;
  if (!isSent)
    return { message: `${peer} closed the connection before anything was sent${codeSuffix}.`, hint };
  return { message: `The connection to ${host} was lost before the response was complete${codeSuffix}.` };
}

function untrustedExplanation(message: string): Explanation {
  return {
    message,
    hint: 'Nothing was sent: the connection may be intercepted. Contact the operator of the service.',
    isPermanent: true,
  };
}

function explainProxyRefusal(
  status: string,
  host: string,
  proxy: { host: string; variable: string },
  hint: Hint,
): Explanation {
  if (status === '407') {
    return {
      message: `The proxy ${proxy.host} requires a valid user name and password.`,
      hint: `Set them in ${proxy.variable}: http://NAME:PASSWORD@${proxy.host}`,
      isPermanent: true,
    };
  }
  return {
    message: `The proxy ${proxy.host} refuses to connect to ${host} (${status}).`,
    hint,
    isPermanent: true,
  };
}

function codeOf(error: unknown): string {
  for (let current = error; current instanceof Error; current = current.cause) {
    if ('code' in current && typeof current.code === 'string') return current.code;
    // The codes are those of the HTTP parser; this list is incomplete.
    if (current.name === 'HTTPParserError') return current.name;
    // Several IP addresses were tried, and all failed in the same way.
    if (current instanceof AggregateError && current.errors.length > 0) return codeOf(current.errors[0]);
  }
  return '';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : '';
}
