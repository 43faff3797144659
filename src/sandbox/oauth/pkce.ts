/**
 * Implements PKCE, which proves that the client that exchanges a code is the one that requested it (RFC 7636). The
 * challenge is part of the code. It can't be changed, because the sandbox accepts only codes that it created.
 */
import { createHash, timingSafeEqual } from 'node:crypto';

/** The supported methods of a code challenge. */
export const challengeMethods = ['S256', 'plain'] as const;

export interface Challenge {
  method: (typeof challengeMethods)[number];
  value: string;
}

/**
 * Returns the challenge in the query of an authorization request: undefined if it has none, a message if it is invalid.
 */
export function parseChallenge(query: URLSearchParams): Challenge | string | undefined {
  const [value, methodName] = [query.get('code_challenge'), query.get('code_challenge_method')];
  if (value === null) {
    return methodName === null ? undefined : 'The request has a code_challenge_method but no code_challenge.';
  }
  const method = challengeMethods.find((supported) => supported === (methodName ?? 'plain'));
  if (method === undefined) return `The code_challenge_method must be one of ${challengeMethods.join(', ')}.`;
  if (/^[\w.~-]{43,128}$/.test(value)) return { method, value };
  return 'The code_challenge must be 43 to 128 letters, digits and - . _ ~.';
}

export function addChallenge(randomText: string, challenge: Challenge | undefined): string {
  return challenge === undefined ? randomText : `${randomText}/${challenge.method}/${challenge.value}`;
}

/** Returns why a verifier is refused, as a sentence; undefined if it matches the challenge in the code. */
export function verifierProblem(code: string, verifier: string | undefined): string | undefined {
  const [, method, value] = code.split('/');
  if (value === undefined) {
    return verifier === undefined ? undefined : 'The code was requested without a code_challenge.';
  }
  if (verifier === undefined)
    return 'The code was requested with a code_challenge, but the code_verifier is missing.';
  const computedChallenge = method === 'S256' ? digest(verifier).toString('base64url') : verifier;
  return timingSafeEqual(digest(computedChallenge), digest(value))
    ? undefined
    : "The code_verifier doesn't match the code_challenge.";
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
