/**
 * Stores authorization codes: each is created when a user approves, and can be exchanged once within 600 seconds. The
 * file contains only their hashes.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Scope } from '../../contract/scope.ts';
import type { Database } from '../../storage/database.ts';
import { parseJsonCell } from '../../storage/json-cell.ts';
import { areScopes } from '../access/tokens.ts';
import { addChallenge, type Challenge } from './pkce.ts';

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
