/**
 * Opens connections through a proxy. It is a module of its own because few users need it, and undici's part for it
 * loads slowly.
 */
import { ProxyAgent } from 'undici';
import type { OpenDispatcher } from './connections.ts';

export function proxyDispatcher(url: URL): OpenDispatcher {
  // A pool would open a second connection for every request that closely follows another.
  return (options, socket) =>
    new ProxyAgent({ ...options, connections: 1, uri: url.href, requestTls: socket, proxyTls: socket });
}
