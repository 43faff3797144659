/** Reads and writes the caches of boh, which are small JSON files. If one is deleted, boh sends a request or asks a question again. */
import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { appFolder } from '../base/app-folders.ts';
import type { Environment } from '../base/environment.ts';
import { makeFolder } from '../base/make-folder.ts';
import { replaceFileSync } from '../base/replace-file.ts';
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
 * A JSON file in the cache folder. A file that can't be read counts as empty. Write errors are ignored.
 */
export class CacheFile {
  readonly #folder: string;
  readonly #path: string;

  constructor(environment: Environment, name: string) {
    this.#folder = appFolder(environment, 'cache');
    this.#path = join(this.#folder, name);
  }

  /** Returns the entries by key, unchecked. */
  read(): Record<string, unknown> {
    // Usually the file doesn't exist, and checking that is faster than a failed read.
    if (!existsSync(this.#path)) return {};
    try {
      const value: unknown = JSON.parse(readFileSync(this.#path, 'utf8'));
      return typeof value === 'object' && value !== null ? { ...value } : {};
    } catch {
      return {};
    }
  }

  /**
   * Returns the entries that have not expired. An entry from the future counts as expired: it was written before the
   * clock was set back.
   */
  readFresh<Entry>({ lifetimeMs, now, writtenAt }: Freshness): Record<string, Entry> {
    const entries = Object.entries(this.read()).filter(([, entry]) => {
      const writtenMs = writtenAt(entry);
      return writtenMs !== undefined && writtenMs <= now() && now() - writtenMs < lifetimeMs;
    });
    return Object.fromEntries(entries) as Record<string, Entry>;
  }

  write(entries: Record<string, unknown>): void {
    try {
      makeFolder(this.#folder, { mode: 0o700 });
      replaceFileSync(this.#path, JSON.stringify(entries));
    } catch {
      // The next command requests the data again.
    }
  }
}

const msPerDay = 24 * 60 * 60_000;

/** The maximum number of accounts in a file; the latest accounts are kept. */
const maxAccounts = 20;

/** An entry of a cache with an entry for each account. `at` is in milliseconds since 1970. */
interface AccountEntry<Content> {
  at: number;
  content: Content;
}

/**
 * Opens what a cache file stores about the account with this `whoamiKey`, until 30 days after the last update. An
 * unchanged content is written again after a day.
 */
export function openAccountCache<Content>(
  environment: Environment,
  key: string,
  { name, isContent }: { name: string; isContent(value: unknown): value is Content },
  now: () => number = Date.now,
): { get(): Content | undefined; put(content: Content): void } {
  const file = new CacheFile(environment, name);
  const writtenAt = (entry: unknown) => {
    const { at, content } = Object(entry) as Partial<AccountEntry<unknown>>;
    return typeof at === 'number' && isContent(content) ? at : undefined;
  };
  const readFresh = () =>
    file.readFresh<AccountEntry<Content>>({ lifetimeMs: 30 * msPerDay, now, writtenAt });
  return {
    get: () => readFresh()[key]?.content,
    put(content) {
      const { [key]: previous, ...otherEntries } = readFresh();
      const isUnchanged = JSON.stringify(content) === JSON.stringify(previous?.content);
      if (previous && isUnchanged && now() - previous.at < msPerDay) return;
      const latest = Object.entries(otherEntries).sort(([, a], [, b]) => b.at - a.at);
      file.write(Object.fromEntries([[key, { at: now(), content }], ...latest.slice(0, maxAccounts - 1)]));
    },
  };
}

/** The scopes of tokens according to `whoami`, so that a command outside them is refused before it is sent. */
export interface WhoamiCache {
  get(key: string): readonly string[] | undefined;
  put(key: string, scopes: readonly string[]): void;
}

const scopesLifetimeMs = 10 * 60_000;

interface ScopesEntry {
  /** The time of writing in milliseconds since 1970. */
  at: number;
  scopes: readonly string[];
}

/**
 * Returns a key that doesn't reveal the token; the same token at another URL has another key. In a sandbox, the
 * settings may have no token.
 */
export function whoamiKey(url: string, token: Secret | undefined): string {
  return hash('sha256', `${url}\n${token?.reveal() ?? ''}`, 'hex');
}

/** Opens the cache of scopes. `now` returns milliseconds since 1970. */
export function openWhoamiCache(environment: Environment, now: () => number = Date.now): WhoamiCache {
  const file = new CacheFile(environment, 'whoami.json');
  const writtenAt = (entry: unknown) => {
    const { at, scopes } = Object(entry) as Partial<ScopesEntry>;
    return typeof at === 'number' && Array.isArray(scopes) && scopes.every(isText) ? at : undefined;
  };
  const readFresh = () => file.readFresh<ScopesEntry>({ lifetimeMs: scopesLifetimeMs, now, writtenAt });
  return {
    get: (key) => readFresh()[key]?.scopes,
    put: (key, scopes) => file.write({ ...readFresh(), [key]: { at: now(), scopes } }),
  };
}

/** A record's ID and name. */
export interface NamedReference {
  id: string;
  name: string;
}

/** References by kind, which has the API's name: `branches`. */
export type ReferencesByKind = ReadonlyMap<string, readonly NamedReference[]>;

/**
 * Stores the names from responses of records that the API can't list, such as branches, so that `@Riverside` can be
 * resolved.
 */
export interface ReferenceCache {
  get(): ReferencesByKind;
  /** Adds references to the file. */
  put(references: ReferencesByKind): void;
}

const maxReferencesPerKind = 1_000;
const maxNameCharacters = 200;

/** The references as they are stored: pairs, because numeric IDs would lose their order as keys. */
type StoredReferences = Readonly<Record<string, readonly (readonly [id: string, name: string])[]>>;

/** Opens the cache for the account with this `whoamiKey`. `now` returns milliseconds since 1970. */
export function openReferenceCache(
  environment: Environment,
  key: string,
  now?: () => number,
): ReferenceCache {
  const file = { name: 'references.json', isContent: areStoredReferences };
  const cache = openAccountCache(environment, key, file, now);
  const get = () => fromPairs(cache.get());
  return { get, put: (references) => cache.put(toPairs(mergeReferences(get(), references))) };
}

/** Returns the existing and the received references. A renamed record only has its new name. */
export function mergeReferences(existing: ReferencesByKind, received: ReferencesByKind): ReferencesByKind {
  const merged = new Map(existing);
  for (const [kind, references] of received) {
    const names = new Map((existing.get(kind) ?? []).map(({ id, name }) => [id, name]));
    for (const { id, name } of references) {
      if (name.length <= maxNameCharacters) names.set(id, name);
    }
    const latest = [...names].slice(-maxReferencesPerKind);
    merged.set(
      kind,
      latest.map(([id, name]) => ({ id, name })),
    );
  }
  return merged;
}

function toPairs(references: ReferencesByKind): StoredReferences {
  return Object.fromEntries(
    [...references].map(([kind, items]) => [kind, items.map(({ id, name }) => [id, name] as const)]),
  );
}

function fromPairs(stored: StoredReferences = {}): ReferencesByKind {
  return new Map(
    Object.entries(stored).map(([kind, pairs]) => [kind, pairs.map(([id, name]) => ({ id, name }))]),
  );
}

function areStoredReferences(value: unknown): value is StoredReferences {
  if (typeof value !== 'object' || value === null) return false;
  const isPair = (pair: unknown) => Array.isArray(pair) && pair.length === 2 && pair.every(isText);
  return Object.values(value).every((pairs) => Array.isArray(pairs) && pairs.every(isPair));
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** The user's answers to the prompts and values of flags, by the name of the setting. */
export type Answers = Readonly<Record<string, string>>;

/** The answers of a sign-in that failed, which are the defaults of the next attempt. Never contains a secret. */
export interface SignInAnswers {
  get(): Answers;
  put(answers: Answers): void;
  /** Deletes the answers, after the profile has been saved. */
  forget(): void;
}

const signInFile = 'sign-in.json';

/** Opens the stored sign-in answers of a profile. */
export function openSignInAnswers(environment: Environment, profile: string): SignInAnswers {
  const file = new CacheFile(environment, signInFile);
  const get = (): Answers => {
    const entries = file.read();
    const profileAnswers = Object.hasOwn(entries, profile) ? entries[profile] : undefined;
    return Object.fromEntries(
      Object.entries(Object(profileAnswers)).filter((entry): entry is [string, string] => isText(entry[1])),
    );
  };
  return {
    get,
    put: (answers) => file.write({ ...file.read(), [profile]: { ...get(), ...answers } }),
    forget() {
      const { [profile]: profileAnswers, ...remaining } = file.read();
      if (profileAnswers !== undefined) file.write(remaining);
    },
  };
}

/** Returns the profile of the last sign-in to this base URL, if it failed. */
export function failedSignInProfile(
  environment: Environment,
  baseUrl: string | undefined,
): string | undefined {
  const entries = Object.entries(new CacheFile(environment, signInFile).read());
  return entries.findLast(([, answers]) => Object(answers).base_url === baseUrl)?.[0];
}
