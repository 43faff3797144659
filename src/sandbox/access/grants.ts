/** Finds what a token allows: tokens stored in the sandbox's file, and temporary tokens of this process. */
import { type Scope, scopeNames } from '../../contract/scope.ts';
import type { Database } from '../../storage/database.ts';
import { findGrant, type Grant, temporaryToken } from './tokens.ts';

/** How many tokens are cached. */
const maxTokens = 1000;

/** The tokens that a sandbox accepts. */
export class Grants {
  readonly #database: Database;
  /** Temporary tokens: a run of the command line leaves no token in the file. */
  readonly #temporary = new Map<string, Grant>();
  /** The tokens that were found in the file at this version (see `Database`). */
  readonly #found = new Map<string, Grant>();
  #version: string | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns a new temporary token with all scopes. */
  give(userId: string): string {
    const token = temporaryToken(this.#database);
    this.#temporary.set(token, { userId, scopes: new Set<Scope>(scopeNames) });
    return token;
  }

  /** Returns what a token allows. Call it inside a transaction that hasn't written anything yet. */
  of(token: string): Grant | undefined {
    return this.#temporary.get(token) ?? this.#find(token);
  }

  #find(token: string): Grant | undefined {
    const { version } = this.#database;
    if (version !== this.#version || this.#found.size >= maxTokens) this.#found.clear();
    this.#version = version;
    const grant = this.#found.get(token) ?? findGrant(this.#database, token);
    if (grant) this.#found.set(token, grant);
    return grant;
  }
}
