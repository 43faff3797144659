/** Tokens: who stands behind each and what it allows. The file keeps only their hashes. */
import { hash, randomBytes } from 'node:crypto';
import type { Scope } from '../../contract/scope.ts';
import type { Database } from '../../storage/database.ts';
import { type Check, jsonIn } from '../../storage/json-cell.ts';
import { isListOf, isText } from '../store/facts.ts';

/** What a token gives its bearer. */
export interface Grant {
  userId: string;
  scopes: ReadonlySet<Scope>;
}

/** 256 random bits: nothing about it can be guessed or read. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** The same for this process alone, from the generator of SQLite: it is at hand, and `node:crypto` takes long to load. */
export function passingToken(database: Database): string {
  return String(database.get('SELECT hex(randomblob(32)) AS token')?.token);
}

export function keepToken(database: Database, token: string, grant: Grant, madeAt: string): void {
  database.run(
    'INSERT INTO sandbox_tokens (hash, scopes, user_id, made_at) VALUES (?, ?, ?, ?)',
    hashOf(token),
    JSON.stringify([...grant.scopes]),
    grant.userId,
    madeAt,
  );
}

/** Nothing for tokens that were never given, or whose user has been deleted. */
export function findGrant(database: Database, token: string): Grant | undefined {
  const row = database.get(
    `SELECT t.scopes, t.user_id FROM sandbox_tokens t JOIN users u ON u.id = t.user_id
     WHERE t.hash = ? AND u.deleted_at IS NULL`,
    hashOf(token),
  );
  if (!row) return undefined;
  return { userId: String(row.user_id), scopes: new Set(jsonIn(row.scopes, database, areScopes)) };
}

/** Also those that this version of boh doesn't know: they open nothing. */
export const areScopes = isListOf(isText) as Check<Scope[]>;

/** After a sandbox has begun anew: tokens of users who are no longer there. */
export function forgetTokensOfNobody(database: Database): void {
  database.run('DELETE FROM sandbox_tokens WHERE user_id NOT IN (SELECT id FROM users)');
}

function hashOf(token: string): string {
  return hash('sha256', token, 'base64url');
}
