/** Finds what a token allows: tokens stored in the sandbox's file, and temporary tokens of this process. */
import { type Scope, scopeNames } from '../../contract/scope.ts';
import type { Database } from '../../storage/database.ts';
import { findGrant, type Grant, temporaryToken } from './tokens.ts';

/** A cache of values read from a file. It is valid until anyone writes to the file. */
export class VersionedCache<Value> {
  /** The cache is cleared when its entries together weigh more than this. */
  readonly #maxWeight: number;
  readonly #values = new Map<string, Value>();
  #version: string | undefined;
  #weight = 0;

  constructor(maxWeight: number) {
    this.#maxWeight = maxWeight;
  }

  /** Returns a cached value. `version` is the file's current version (see `Database`). */
  find(version: string, name: string): Value | undefined {
    return version === this.#version ? this.#values.get(name) : undefined;
  }

  /** Caches a value that was read at this version. */
  keep(version: string, name: string, value: Value, weight = 1): void {
    if (weight > this.#maxWeight) return;
    if (version !== this.#version || this.#weight + weight > this.#maxWeight) this.#forget();
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

/** How many tokens are cached. */
const maxTokens = 1000;

/** The tokens that a sandbox accepts. */
export class Grants {
  readonly #database: Database;
  /** Temporary tokens: a run of the command line leaves no token in the file. */
  readonly #temporary = new Map<string, Grant>();
  readonly #cache = new VersionedCache<Grant>(maxTokens);

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
    const known = this.#cache.find(version, token) ?? findGrant(this.#database, token);
    if (known) this.#cache.keep(version, token, known);
    return known;
  }
}
