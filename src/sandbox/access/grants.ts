/** Finds the grants of tokens: those stored in the sandbox's file, and temporary tokens of this process. */
import { type Scope, scopeNames } from '../../contract/scope.ts';
import type { Database } from '../../storage/database.ts';
import { findGrant, type Grant, temporaryToken } from './tokens.ts';

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
