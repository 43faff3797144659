/** The authorization URL, and what ties its answer to this sign-in: the state, and PKCE where the deployment takes it. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { usage } from '../base/errors.ts';
import { isLoopback } from '../base/loopback.ts';

/** What an authorization URL is made of. */
export interface AuthorizeRequest {
  /** The authorization page; what its address holds already is kept. */
  authorizeUrl: string;
  clientId: string;
  state: string;
  /** Must be, letter by letter, what is registered at the service and what the exchange repeats. */
  redirectUri: string;
  scopes: readonly string[];
  /** Of PKCE, for deployments that take it. */
  challenge?: string | undefined;
}

/**
 * Returns the authorization URL. The document does not show this request ("Authentication", 7): deployments need
 * `client_id` and `state`, and also take the parameters of OAuth 2.0. Throws a usage failure for an unsafe URL.
 */
export function authorizeAddress({
  authorizeUrl,
  clientId,
  state,
  redirectUri,
  scopes,
  challenge,
}: AuthorizeRequest): string {
  const url = trustedUrl(authorizeUrl, 'The authorization URL');
  url.searchParams.set('client_id', clientId);
  url.searchParams.set('state', state);
  url.searchParams.set('response_type', 'code');
  url.searchParams.set('redirect_uri', redirectUri);
  if (scopes.length > 0) url.searchParams.set('scope', scopes.join(' '));
  if (challenge !== undefined) {
    url.searchParams.set('code_challenge', challenge);
    url.searchParams.set('code_challenge_method', 'S256');
  }
  // A space as "+" is right in a query, but "%20" is understood everywhere.
  url.search = url.search.replaceAll('+', '%20');
  return url.href;
}

/** Returns a new state: 256 random bits in characters that need no encoding. */
export function newState(): string {
  return randomBytes(32).toString('base64url');
}

/** Compares two states in a time that tells nothing about where two states differ. */
export function sameState(expected: string, received: string): boolean {
  return timingSafeEqual(digest(expected), digest(received));
}

/** Returns a hash, because the comparison needs texts of the same length. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Returns a new verifier (RFC 7636), which only the exchange sends: 256 random bits in 43 characters. */
export function newVerifier(): string {
  return randomBytes(32).toString('base64url');
}

/** Returns the challenge of a verifier, which the authorization URL holds, by the method S256. */
export function challengeFor(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

/** Returns the address as a URL where a secret may be sent to it: https, or plain http to this machine. Throws a usage failure. */
export function trustedUrl(address: string, what: string): URL {
  if (!URL.canParse(address)) throw usage(`${what} isn't a valid address.`);
  const url = new URL(address);
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return url;
  throw usage(`${what} must begin with https://, because secrets are sent to it.`);
}
