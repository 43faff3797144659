/** The transport over the network: undici with keep-alive, proxies, and bounds on time and memory. */

import type { Environment } from '../base/environment.ts';
import { type Connections, openConnections } from './connections.ts';
import { exchange, Overtime } from './exchange.ts';
import { explainNetworkError } from './network-errors.ts';
import { proxyFor } from './proxy.ts';
import { type Transport, TransportError } from './transport.ts';

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
  const open = async () =>
    openConnections(service.origin, limits, proxy && (await import('./proxied.ts')).through(proxy));
  let opened: Promise<Connections> | undefined;

  return async (request, signal) => {
    signal?.throwIfAborted();
    let hasLeft = false;
    opened ??= open();
    const connections = await opened;
    if (request.isWrite) await connections.settle();
    try {
      return await exchange(
        connections,
        { ...request, target: prefix + request.target },
        {
          origin: service.origin,
          timeoutMs,
          signal,
          onDeparture() {
            hasLeft = true;
          },
        },
      );
    } catch (error) {
      if (error instanceof TransportError) throw error;
      if (signal?.aborted) {
        connections.cut();
        opened = undefined;
        throw new TransportError('Interrupted.', { mayHaveArrived: hasLeft, isLasting: true, cause: error });
      }
      throw explainNetworkError(error, {
        host: service.host,
        proxy: proxy && { host: proxy.url.host, variable: proxy.variable },
        timeoutMs,
        connectMs,
        hasLeft,
        isOver: error instanceof Overtime,
      });
    }
  };
}
