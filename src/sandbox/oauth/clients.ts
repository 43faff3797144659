/** Defines the OAuth application of every sandbox, and its allowed redirect URIs. */
import { createHash, timingSafeEqual } from 'node:crypto';

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
export function isCorrectSecret(client: OAuthClient, secret: string): boolean {
  return timingSafeEqual(digest(client.secret), digest(secret));
}

/**
 * Returns whether a redirect URI is an http URL of this machine, without a fragment or credentials. Any port and path
 * are allowed: an application on the same machine listens on any free port (RFC 8252, 7.3).
 */
export function isLocalRedirect(uri: string): boolean {
  if (!URL.canParse(uri)) return false;
  const { protocol, hostname, hash, username, password } = new URL(uri);
  const hasNoFragmentOrCredentials = hash === '' && !uri.includes('#') && username === '' && password === '';
  return protocol === 'http:' && loopbackHosts.has(hostname) && hasNoFragmentOrCredentials;
}

const loopbackHosts = new Set(['127.0.0.1', '[::1]', 'localhost']);

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
