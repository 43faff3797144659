/** The caches of boh: small JSON files, which can be deleted at the cost of a request or a question. */
import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asOwnerOf } from '../base/as-owner.ts';
import type { Environment } from '../base/environment.ts';
import { makeFolder } from '../base/make-folder.ts';
import { ownFolder } from '../base/own-folders.ts';
import { replaceFile } from '../base/replace-file.ts';
import type { Secret } from './secret.ts';

/** Decides which entries of a cache are valid. */
export interface Freshness {
  lifetimeMs: number;
  /** Milliseconds since 1970. */
  now(): number;
  /** Returns when an entry was written, in milliseconds since 1970; undefined for anything that isn't an entry. */
  writtenAt(entry: unknown): number | undefined;
}

/**
 * A JSON file among the caches. A file that can't be read counts as empty; one that can't be written stays unchanged.
 */
export class CacheFile {
  readonly #folder: string;
  readonly #path: string;

  constructor(environment: Environment, name: string) {
    this.#folder = ownFolder(environment, 'cache');
    this.#path = join(this.#folder, name);
  }

  /** Returns the entries by key; nothing of them has been checked. */
  read(): Record<string, unknown> {
    // Most often there is none, and to fail of that takes longer than to look.
    if (!existsSync(this.#path)) return {};
    try {
      const value: unknown = JSON.parse(asOwnerOf(this.#folder, () => readFileSync(this.#path, 'utf8')));
      return typeof value === 'object' && value !== null ? { ...value } : {};
    } catch {
      return {};
    }
  }

  /**
   * Returns the entries that have not expired. An entry from the future was written before the clock was set back: it
   * has.
   */
  fresh<Entry>({ lifetimeMs, now, writtenAt }: Freshness): Record<string, Entry> {
    const entries = Object.entries(this.read()).filter(([, entry]) => {
      const at = writtenAt(entry);
      return at !== undefined && at <= now() && now() - at < lifetimeMs;
    });
    return Object.fromEntries(entries) as Record<string, Entry>;
  }

  write(entries: Record<string, unknown>): void {
    try {
      asOwnerOf(this.#folder, () => {
        makeFolder(this.#folder, { mode: 0o700 });
        replaceFile(this.#path, JSON.stringify(entries));
      });
    } catch {
      // The next command asks again.
    }
  }
}

/** The scopes of tokens according to `whoami`, so that a command outside them is refused before it is sent. */
export interface WhoamiCache {
  get(key: string): readonly string[] | undefined;
  put(key: string, scopes: readonly string[]): void;
}

const scopesLifetimeMs = 10 * 60_000;

interface ScopesEntry {
  at: number;
  scopes: readonly string[];
}

/**
 * Returns a key that doesn't reveal the token; the same token at another address has another key. The owner of a
 * sandbox has no token in the settings.
 */
export function whoamiKey(address: string, token: Secret | undefined): string {
  return hash('sha256', `${address}\n${token?.reveal() ?? ''}`, 'hex');
}

/** Opens the cache of scopes. `now` returns milliseconds since 1970. */
export function openWhoamiCache(environment: Environment, now: () => number = Date.now): WhoamiCache {
  const file = new CacheFile(environment, 'whoami.json');
  const writtenAt = (entry: unknown) => {
    const { at, scopes } = Object(entry) as Partial<ScopesEntry>;
    return typeof at === 'number' && Array.isArray(scopes) && scopes.every(isText) ? at : undefined;
  };
  const fresh = () => file.fresh<ScopesEntry>({ lifetimeMs: scopesLifetimeMs, now, writtenAt });
  return {
    get: (key) => fresh()[key]?.scopes,
    put: (key, scopes) => file.write({ ...fresh(), [key]: { at: now(), scopes } }),
  };
}

/** A record by its id and its name. */
export interface NamedReference {
  id: string;
  name: string;
}

/** By kind, in the API's words: `branches`. */
export type ReferencesByKind = ReadonlyMap<string, readonly NamedReference[]>;

/**
 * Names of records that the API can't list, such as branches, as answers have shown them: `@Riverside` keeps its
 * meaning.
 */
export interface ReferenceCache {
  get(): ReferencesByKind;
  /** Adds references to the file. */
  put(seen: ReferencesByKind): void;
}

const dayMs = 24 * 60 * 60_000;
const referencesLifetimeMs = 30 * dayMs;

/** The maximum number of accounts; the latest ones are kept. */
const maxAccounts = 20;
const maxReferencesOfKind = 1_000;
const maxNameLength = 200;

/** An entry of the cache. It has pairs, because numeric ids would lose their order as keys. */
interface ReferencesEntry {
  at: number;
  kinds: Readonly<Record<string, readonly (readonly [id: string, name: string])[]>>;
}

/** Opens the cache for the account with this `whoamiKey`. `now` returns milliseconds since 1970. */
export function openReferenceCache(
  environment: Environment,
  key: string,
  now: () => number = Date.now,
): ReferenceCache {
  const file = new CacheFile(environment, 'references.json');
  const fresh = () =>
    file.fresh<ReferencesEntry>({ lifetimeMs: referencesLifetimeMs, now, writtenAt: referencesWrittenAt });
  return {
    get: () => fromPairs(fresh()[key]),
    put(seen) {
      const { [key]: before, ...others } = fresh();
      const kinds = asPairs(withSeen(fromPairs(before), seen));
      const isKnown = JSON.stringify(kinds) === JSON.stringify(before?.kinds);
      if (before && isKnown && now() - before.at < dayMs) return;
      const latest = Object.entries(others).sort(([, a], [, b]) => b.at - a.at);
      file.write(Object.fromEntries([[key, { at: now(), kinds }], ...latest.slice(0, maxAccounts - 1)]));
    },
  };
}

/** Returns the known references with the seen ones. A renamed record only has its new name. */
export function withSeen(known: ReferencesByKind, seen: ReferencesByKind): ReferencesByKind {
  const all = new Map(known);
  for (const [kind, references] of seen) {
    const names = new Map((known.get(kind) ?? []).map(({ id, name }) => [id, name]));
    for (const { id, name } of references) {
      if (name.length <= maxNameLength) names.set(id, name);
    }
    const latest = [...names].slice(-maxReferencesOfKind);
    all.set(
      kind,
      latest.map(([id, name]) => ({ id, name })),
    );
  }
  return all;
}

function asPairs(references: ReferencesByKind): ReferencesEntry['kinds'] {
  return Object.fromEntries(
    [...references].map(([kind, all]) => [kind, all.map(({ id, name }) => [id, name] as const)]),
  );
}

function fromPairs(entry: ReferencesEntry | undefined): ReferencesByKind {
  const kinds = Object.entries(entry?.kinds ?? {});
  return new Map(kinds.map(([kind, pairs]) => [kind, pairs.map(([id, name]) => ({ id, name }))]));
}

function referencesWrittenAt(entry: unknown): number | undefined {
  const { at, kinds } = Object(entry) as Partial<ReferencesEntry>;
  if (typeof at !== 'number' || typeof kinds !== 'object' || kinds === null) return undefined;
  const isPair = (value: unknown) => Array.isArray(value) && value.length === 2 && value.every(isText);
  const isWhole = Object.values(kinds).every((pairs) => Array.isArray(pairs) && pairs.every(isPair));
  return isWhole ? at : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Answers as typed, by the name of the setting. */
export type Answers = Readonly<Record<string, string>>;

/** Answers of a sign-in that failed, which the next attempt offers. Never contains a secret. */
export interface SignInAnswers {
  get(): Answers;
  put(setting: string, answer: string): void;
  /** Deletes the answers once the profile has them. */
  forget(): void;
}

/** Opens the answers for a profile. */
export function openSignInAnswers(environment: Environment, profile: string): SignInAnswers {
  const file = new CacheFile(environment, 'sign-in.json');
  const get = (): Answers => {
    const entries = file.read();
    const own = Object.hasOwn(entries, profile) ? entries[profile] : undefined;
    return Object.fromEntries(
      Object.entries(Object(own)).filter((entry): entry is [string, string] => isText(entry[1])),
    );
  };
  return {
    get,
    put: (setting, answer) => file.write({ ...file.read(), [profile]: { ...get(), [setting]: answer } }),
    forget() {
      const { [profile]: own, ...others } = file.read();
      if (own !== undefined) file.write(others);
    },
  };
}
