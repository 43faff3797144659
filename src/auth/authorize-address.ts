/** The address of the page on which someone approves boh, and the state that ties its answer to our question. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { trustedUrl } from './trusted-url.ts';

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
 * The document does not show this request ("Authentication", 7): deployments need `client_id` and `state`,
 * and take the parameters of OAuth 2.0 besides.
 */
export function authorizeAddress({
  authorizeUrl,
  clientId,
  state,
  redirectUri,
  scopes,
  challenge,
}: AuthorizeRequest): string {
  const url = trustedUrl(authorizeUrl, 'The authorization page');
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

/** 256 random bits in characters that need no encoding. */
export function newState(): string {
  return randomBytes(32).toString('base64url');
}

/** Compares in a time that tells nothing about where two states differ. */
export function sameState(expected: string, received: string): boolean {
  return timingSafeEqual(digest(expected), digest(received));
}

/** Of one length for every text, as the comparison needs it. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
