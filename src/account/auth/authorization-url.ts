/** Builds the authorization URL, with the state and PKCE values that bind its response to this sign-in. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { usage } from '../../base/errors.ts';
import { isLoopback } from '../../base/loopback.ts';

/** The parts of an authorization URL. */
export interface AuthorizationRequest {
  /** The URL of the authorization page. Its own query parameters are kept. */
  authorizeUrl: string;
  clientId: string;
  state: string;
  /** Must be exactly the redirect URI that is registered at the service and sent in the exchange. */
  redirectUri: string;
  scopes: readonly string[];
  /** The PKCE challenge, for deployments that accept PKCE. */
  challenge?: string | undefined;
}

/**
 * Returns the authorization URL. The API document doesn't describe this request ("Authentication", 7): deployments need
 * `client_id` and `state`, and also accept the parameters of OAuth 2.0. Throws a usage failure for an unsafe URL.
 */
export function buildAuthorizationUrl({
  authorizeUrl,
  clientId,
  state,
  redirectUri,
  scopes,
  challenge,
}: AuthorizationRequest): string {
  const url = requireTrustedUrl(authorizeUrl, 'The authorization URL');
  url.searchParams.set('client_id', clientId);
  url.searchParams.set('state', state);
  url.searchParams.set('response_type', 'code');
  url.searchParams.set('redirect_uri', redirectUri);
  if (scopes.length > 0) url.searchParams.set('scope', scopes.join(' '));
  if (challenge !== undefined) {
    url.searchParams.set('code_challenge', challenge);
    url.searchParams.set('code_challenge_method', 'S256');
  }
  // "+" is a valid space in a query, but all services accept "%20".
  url.search = url.search.replaceAll('+', '%20');
  return url.href;
}

/** Returns a new state: 256 random bits in characters that need no encoding. */
export function createState(): string {
  return randomBytes(32).toString('base64url');
}

/** Compares two states in constant time, so that the duration doesn't reveal where they differ. */
export function isSameState(expected: string, received: string): boolean {
  return timingSafeEqual(digest(expected), digest(received));
}

/** Returns a hash, because the comparison needs values of the same length. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Returns a new verifier (RFC 7636), which only the exchange sends: 256 random bits in 43 characters. */
export function createVerifier(): string {
  return randomBytes(32).toString('base64url');
}

/** Returns the challenge for a verifier, by the method S256. The authorization URL contains it. */
export function challengeFor(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

/**
 * Parses a URL to which secrets are sent. Throws a usage failure that names the `subject` unless the URL uses https, or
 * http on this machine.
 */
export function requireTrustedUrl(value: string, subject: string): URL {
  if (!URL.canParse(value)) throw usage(`${subject} isn't a valid URL.`);
  const url = new URL(value);
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return url;
  throw usage(`${subject} must begin with https://, because secrets are sent to it.`);
}
