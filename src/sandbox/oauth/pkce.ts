/**
 * Proof that whoever exchanges a code is who asked for it (RFC 7636). A code carries the challenge that it was asked
 * for with: nobody can change it there, as the sandbox knows only whole codes.
 */
import { createHash, timingSafeEqual } from 'node:crypto';

export const challengeMethods = ['S256', 'plain'] as const;

export interface Challenge {
  method: (typeof challengeMethods)[number];
  value: string;
}

/** Of a request for a code, where it has one; a sentence about one that can't be used. */
export function challengeIn(query: URLSearchParams): Challenge | string | undefined {
  const [value, named] = [query.get('code_challenge'), query.get('code_challenge_method')];
  if (value === null) {
    return named === null ? undefined : 'There is a code_challenge_method, and no code_challenge.';
  }
  const method = challengeMethods.find((known) => known === (named ?? 'plain'));
  if (method === undefined) return `The code_challenge_method must be one of ${challengeMethods.join(', ')}.`;
  if (/^[\w.~-]{43,128}$/.test(value)) return { method, value };
  return 'The code_challenge must be 43 to 128 letters, digits and - . _ ~.';
}

export function codeWith(random: string, challenge: Challenge | undefined): string {
  return challenge === undefined ? random : `${random}/${challenge.method}/${challenge.value}`;
}

/** Undefined where the verifier is right; else what is wrong, in a sentence. */
export function verifierProblem(code: string, verifier: string | undefined): string | undefined {
  const [, method, value] = code.split('/');
  if (value === undefined) {
    return verifier === undefined ? undefined : 'The code was asked for without a code_challenge.';
  }
  if (verifier === undefined)
    return 'The code was asked for with a code_challenge: the code_verifier is missing.';
  const shown = method === 'S256' ? digest(verifier).toString('base64url') : verifier;
  return timingSafeEqual(digest(shown), digest(value))
    ? undefined
    : 'The code_verifier is not the one of the code_challenge.';
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
