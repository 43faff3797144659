/** The one application that every sandbox knows, and the addresses to which its users may be sent back. */
import { createHash, timingSafeEqual } from 'node:crypto';

export interface OAuthClient {
  id: string;
  name: string;
  /** The same in every sandbox: it guards nothing but made-up data on this machine. */
  secret: string;
}

export const demoClient: OAuthClient = {
  id: 'boh-sandbox',
  name: 'Demo application',
  secret: 'sandbox-secret-that-guards-nothing-real',
};

/** Compares in a time that tells nothing about where two secrets differ. */
export function hasSecret(client: OAuthClient, secret: string): boolean {
  return timingSafeEqual(digest(client.secret), digest(secret));
}

/**
 * Any plain http address of this machine, whatever its port and path: an application on the same machine listens
 * where a port is free (RFC 8252, 7.3). Everything else would carry the code away.
 */
export function isOwnRedirect(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, hash, username, password } = new URL(address);
  const isPlain = hash === '' && !address.includes('#') && username === '' && password === '';
  return protocol === 'http:' && loopbackHosts.has(hostname) && isPlain;
}

const loopbackHosts = new Set(['127.0.0.1', '[::1]', 'localhost']);

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
