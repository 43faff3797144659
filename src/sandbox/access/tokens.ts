/** Stores tokens, with their users and scopes. The file contains only their hashes. */
import { hash, randomBytes } from 'node:crypto';
import { type Scope, scopeNames } from '../../api/contract/scope.ts';
import type { Database } from '../../base/storage/database.ts';
import { parseJsonCell, type ShapeCheck } from '../../base/storage/json-cell.ts';
import { isArrayOf, isString } from '../store/rows.ts';

/** The user that a token belongs to, and its scopes. */
export interface Grant {
  userId: string;
  scopes: ReadonlySet<Scope>;
}

/** Returns a random token of 256 bits. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Returns a random token for use in this process only. SQLite generates it, because `node:crypto` takes long to load. */
function temporaryToken(database: Database): string {
  return String(database.get('SELECT hex(randomblob(32)) AS token')?.token);
}

/** Stores the hash of a token with its grant. `createdAt` has the format `YYYY-MM-DD HH:MM:SS`. */
export function storeToken(database: Database, token: string, grant: Grant, createdAt: string): void {
  database.run(
    'INSERT OR REPLACE INTO sandbox_tokens (hash, scopes, user_id, made_at) VALUES (?, ?, ?, ?)',
    hashOf(token),
    JSON.stringify([...grant.scopes]),
    grant.userId,
    createdAt,
  );
}

/** Returns the grant of a stored token; undefined if the token doesn't exist or its user was deleted. */
export function findGrant(database: Database, token: string): Grant | undefined {
  const row = database.get(
    `SELECT t.scopes, t.user_id FROM sandbox_tokens t JOIN users u ON u.id = t.user_id
     WHERE t.hash = ? AND u.deleted_at IS NULL`,
    hashOf(token),
  );
  if (!row) return undefined;
  return { userId: String(row.user_id), scopes: new Set(parseJsonCell(row.scopes, database, areScopes)) };
}

/** Returns whether a value is a list of scopes. Unknown scopes are accepted, because they don't allow any operation. */
export const areScopes = isArrayOf(isString) as ShapeCheck<Scope[]>;

/** Deletes tokens of users that no longer exist, after a sandbox was reset. */
export function deleteOrphanedTokens(database: Database): void {
  database.run('DELETE FROM sandbox_tokens WHERE user_id NOT IN (SELECT id FROM users)');
}

function hashOf(token: string): string {
  return hash('sha256', token, 'base64url');
}

/** The maximum number of cached tokens. */
const maxCachedTokens = 1000;

/** The tokens that a sandbox accepts. */
export class Grants {
  readonly #database: Database;
  /** The grants of temporary tokens. They aren't stored, so that a command leaves no token in the file. */
  readonly #temporary = new Map<string, Grant>();
  /** The grants that were read from the file at `#version` (see `Database`). */
  readonly #cached = new Map<string, Grant>();
  #version: string | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Creates a temporary token with all scopes and returns it. */
  createTemporary(userId: string): string {
    const token = temporaryToken(this.#database);
    this.#temporary.set(token, { userId, scopes: new Set<Scope>(scopeNames) });
    return token;
  }

  /** Returns the grant of a token. Call it inside a transaction, before its first write. */
  grantOf(token: string): Grant | undefined {
    return this.#temporary.get(token) ?? this.#findStored(token);
  }

  #findStored(token: string): Grant | undefined {
    const { version } = this.#database;
    if (version !== this.#version || this.#cached.size >= maxCachedTokens) this.#cached.clear();
    this.#version = version;
    const grant = this.#cached.get(token) ?? findGrant(this.#database, token);
    if (grant) this.#cached.set(token, grant);
    return grant;
  }
}
