/** The transport over the network: undici with keep-alive, proxies, time-outs and a bound on what is read. Loaded lazily. */

import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import type { IncomingHttpHeaders } from 'undici/types/header.js';
import { explainNetworkError } from './network-errors.ts';
import { type HttpAnswer, type HttpRequest, type Transport, TransportError } from './transport.ts';

/** The longest answer that is read: past it memory is worth more than the rows. */
const longestAnswer = 64 * 1024 * 1024;

export interface NetworkOptions {
  /** `https://api.example.com`; a path in it stands before every target. */
  baseUrl: string;
  /** Bounds a whole exchange, connecting and the last byte included. */
  timeoutMs: number;
  /** Proxy settings are read from it: HTTP_PROXY, HTTPS_PROXY, NO_PROXY. */
  env: Readonly<Record<string, string | undefined>>;
}

/** Extra certificate authorities come from NODE_EXTRA_CA_CERTS, which Node itself reads. Redirects are never followed. */
export function networkTransport({ baseUrl, timeoutMs, env }: NetworkOptions): Transport {
  const { origin, pathname } = new URL(baseUrl);
  const prefix = pathname === '/' ? '' : pathname;
  const dispatcher = dispatcherFor(env, timeoutMs);

  return async (request, signal) => {
    const limit = AbortSignal.timeout(timeoutMs);
    const until = signal ? AbortSignal.any([signal, limit]) : limit;
    try {
      return await exchange(dispatcher, origin, { ...request, target: prefix + request.target }, until);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (error instanceof TransportError) throw error;
      throw explainNetworkError(error, { host: new URL(baseUrl).host, timeoutMs });
    }
  };
}

function dispatcherFor(env: NetworkOptions['env'], timeoutMs: number): Dispatcher {
  const options = {
    connect: { timeout: timeoutMs },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    // One protocol to reason about; HTTP/2 would also be slower to load, and the release leaves it out.
    allowH2: false,
  };
  const httpProxy = env.http_proxy ?? env.HTTP_PROXY;
  const httpsProxy = env.https_proxy ?? env.HTTPS_PROXY;
  if (!httpProxy && !httpsProxy) return new Agent(options);
  return new EnvHttpProxyAgent({
    ...options,
    ...(httpProxy && { httpProxy }),
    ...(httpsProxy && { httpsProxy }),
    noProxy: env.no_proxy ?? env.NO_PROXY ?? '',
  });
}

async function exchange(
  dispatcher: Dispatcher,
  origin: string,
  { method, target, headers, body }: HttpRequest,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  // The dispatcher is asked directly: it sends the path as it is, where a URL would tidy it up.
  const answer = await dispatcher.request({
    origin,
    path: target,
    method: method as Dispatcher.HttpMethod,
    headers,
    body: body ?? null,
    signal,
  });
  return {
    status: answer.statusCode,
    headers: singleHeaders(answer.headers),
    body: await readBounded(answer.body, answer.headers),
  };
}

async function readBounded(body: AsyncIterable<Buffer>, headers: IncomingHttpHeaders): Promise<string> {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    throw new TransportError(
      `The service answered with ${String(encoding)} encoding, which was not asked for.`,
      {
        mayHaveArrived: true,
      },
    );
  }
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > longestAnswer) {
      throw new TransportError(
        `The answer is longer than ${longestAnswer / 1024 / 1024} MB; the rest was not read.`,
        {
          mayHaveArrived: true,
        },
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function singleHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [
    name.toLowerCase(),
    Array.isArray(value) ? (value.at(-1) ?? '') : (value ?? ''),
  ]);
  return Object.fromEntries(entries) as Record<string, string>;
}
