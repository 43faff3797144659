/** Who may do what, by the tokens that a sandbox takes: those of its file, and those of this process alone. */
import { type Scope, scopeNames } from '../../contract/scope.ts';
import type { Database } from '../../storage/database.ts';
import { Remembered } from '../store/remembered.ts';
import { findGrant, type Grant, passingToken } from './tokens.ts';

/** How many tokens are remembered with what they allow. */
const mostTokens = 1000;

export class Grants {
  readonly #database: Database;
  /** Of this process alone: a run of the command line leaves no token behind. */
  readonly #passing = new Map<string, Grant>();
  readonly #known = new Remembered<Grant>(mostTokens);

  constructor(database: Database) {
    this.#database = database;
  }

  /** A token with all scopes, which only this object knows. */
  give(userId: string): string {
    const token = passingToken(this.#database);
    this.#passing.set(token, { userId, scopes: new Set<Scope>(scopeNames) });
    return token;
  }

  /** Inside a transaction in which nothing has been written yet. */
  of(token: string): Grant | undefined {
    return this.#passing.get(token) ?? this.#kept(token);
  }

  #kept(token: string): Grant | undefined {
    const { version } = this.#database;
    const known = this.#known.find(version, token) ?? findGrant(this.#database, token);
    if (known) this.#known.keep(version, token, known);
    return known;
  }
}
