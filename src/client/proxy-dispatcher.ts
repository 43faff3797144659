/** Connections by way of a proxy. It stands by itself because few have one, and undici's part for it is slow to load. */
import { ProxyAgent } from 'undici';
import type { OpenDispatcher } from './connections.ts';

/** Returns what opens connections through the proxy at an address. */
export function proxyDispatcher(url: URL): OpenDispatcher {
  // A pool would open a second connection for every request that closely follows another.
  return (options, socket) =>
    new ProxyAgent({ ...options, connections: 1, uri: url.href, requestTls: socket, proxyTls: socket });
}
