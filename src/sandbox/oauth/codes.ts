/**
 * Stores authorization codes: each is created when a user approves, and can be exchanged once within 600 seconds. The
 * file contains only their hashes.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Scope } from '../../api/contract/scope.ts';
import type { Database } from '../../base/storage/database.ts';
import { parseJsonCell } from '../../base/storage/json-cell.ts';
import { areScopes } from '../access/tokens.ts';

/** The request that a user approved. */
export interface Approval {
  clientId: string;
  /** The redirect URI exactly as in the request for the code. */
  redirectUri: string;
  scopes: readonly Scope[];
  challenge?: Challenge | undefined;
}

/** The lifetime of a code, in milliseconds (API document: "Authentication", 4). */
export const codeLifetimeMs = 600_000;

/** The reason why a code can't be exchanged. */
export type CodeProblem = 'unknown' | 'used' | 'expired' | 'other_client' | 'other_redirect_uri';

/** Creates a code. `now` is the sandbox's time, in milliseconds since 1970. */
export function createCode(database: Database, approval: Approval, now: number): string {
  const code = addChallenge(randomBytes(32).toString('base64url'), approval.challenge);
  // Expired codes are stored for some time, so that their use gives a precise error.
  database.run('DELETE FROM sandbox_codes WHERE made_at < ?', now - 10 * codeLifetimeMs);
  database.run(
    'INSERT INTO sandbox_codes (hash, client_id, redirect_uri, scopes, made_at, is_used) VALUES (?, ?, ?, ?, ?, 0)',
    hash(code),
    approval.clientId,
    approval.redirectUri,
    JSON.stringify(approval.scopes),
    now,
  );
  return code;
}

/** Marks a code as used and returns its scopes, or returns the reason why it can't be exchanged. */
export function redeemCode(
  database: Database,
  code: string,
  { clientId, redirectUri }: Pick<Approval, 'clientId' | 'redirectUri'>,
  now: number,
): { scopes: readonly Scope[] } | { problem: CodeProblem } {
  return database.write(() => {
    const row = database.get('SELECT * FROM sandbox_codes WHERE hash = ?', hash(code));
    if (!row) return { problem: 'unknown' };
    if (row.client_id !== clientId) return { problem: 'other_client' };
    if (row.is_used === 1) return { problem: 'used' };
    if (now > Number(row.made_at) + codeLifetimeMs) return { problem: 'expired' };
    if (row.redirect_uri !== redirectUri) return { problem: 'other_redirect_uri' };
    database.run('UPDATE sandbox_codes SET is_used = 1 WHERE hash = ?', hash(code));
    return { scopes: parseJsonCell(row.scopes, database, areScopes) };
  });
}

function hash(code: string): string {
  return createHash('sha256').update(code).digest('base64url');
}

// Implements PKCE, which proves that the client that exchanges a code is the one that requested it (RFC 7636). The
// challenge is part of the code. It can't be changed, because the sandbox accepts only codes that it created.

/** The supported methods of a code challenge. */
export const challengeMethods = ['S256', 'plain'] as const;

interface Challenge {
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

function addChallenge(randomText: string, challenge: Challenge | undefined): string {
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
