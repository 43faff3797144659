/** Who may do what, by the tokens that a sandbox takes: those of its file, and those of this process alone. */
import { type Scope, scopeNames } from '../../contract/scope.ts';
import type { Database } from '../../storage/database.ts';
import { findGrant, type Grant, passingToken } from './tokens.ts';

/** What was found in a file, for as long as nobody writes to it. */
export class Remembered<Value> {
  /** All is forgotten at once when it weighs more. */
  readonly #most: number;
  readonly #values = new Map<string, Value>();
  #version: string | undefined;
  #weight = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** `version` is the file’s as it is now; see `Database`. */
  find(version: string, name: string): Value | undefined {
    return version === this.#version ? this.#values.get(name) : undefined;
  }

  /** What was read while the file had this version. */
  keep(version: string, name: string, value: Value, weight = 1): void {
    if (weight > this.#most) return;
    if (version !== this.#version || this.#weight + weight > this.#most) this.#forget();
    this.#version = version;
    if (this.#values.has(name)) return;
    this.#values.set(name, value);
    this.#weight += weight;
  }

  #forget(): void {
    this.#values.clear();
    this.#weight = 0;
  }
}

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
