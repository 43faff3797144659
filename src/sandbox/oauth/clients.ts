/** The OAuth application of every sandbox, and its allowed redirect URIs. */
import { createHash, timingSafeEqual } from 'node:crypto';

/** An OAuth application. */
export interface OAuthClient {
  id: string;
  name: string;
  /** The secret, which is the same in every sandbox: it only protects test data on this machine. */
  secret: string;
}

/** The application of every sandbox. */
export const demoClient: OAuthClient = {
  id: 'boh-sandbox',
  name: 'Demo application',
  secret: 'sandbox-secret-that-guards-nothing-real',
};

/** Returns whether the secret is correct. Compares in constant time, so that the time doesn't reveal the difference. */
export function hasSecret(client: OAuthClient, secret: string): boolean {
  return timingSafeEqual(digest(client.secret), digest(secret));
}

/**
 * Returns whether the URI is a plain http URL of this machine, with any port and path: an application on the same
 * machine listens on any free port (RFC 8252, 7.3). Other URIs would send the code elsewhere.
 */
export function isLocalRedirect(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, hash, username, password } = new URL(address);
  const isPlain = hash === '' && !address.includes('#') && username === '' && password === '';
  return protocol === 'http:' && loopbackHosts.has(hostname) && isPlain;
}

const loopbackHosts = new Set(['127.0.0.1', '[::1]', 'localhost']);

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
