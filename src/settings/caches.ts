/** Reads and writes the caches of boh, which are small JSON files. If one is deleted, boh sends a request or asks a question again. */
import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { appFolder } from '../base/app-folders.ts';
import { runAsOwner } from '../base/as-owner.ts';
import type { Environment } from '../base/environment.ts';
import { makeFolder } from '../base/make-folder.ts';
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
      const value: unknown = JSON.parse(runAsOwner(this.#folder, () => readFileSync(this.#path, 'utf8')));
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
      runAsOwner(this.#folder, () => {
        makeFolder(this.#folder, { mode: 0o700 });
        replaceFile(this.#path, JSON.stringify(entries));
      });
    } catch {
      // The next command requests the data again.
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

const msPerDay = 24 * 60 * 60_000;
const referencesLifetimeMs = 30 * msPerDay;

/** The maximum number of accounts; the latest accounts are kept. */
const maxAccounts = 20;
const maxReferencesPerKind = 1_000;
const maxNameCharacters = 200;

/** An entry of the cache. It has pairs, because numeric IDs would lose their order as keys. `at` is in milliseconds since 1970. */
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
  const readFresh = () =>
    file.readFresh<ReferencesEntry>({
      lifetimeMs: referencesLifetimeMs,
      now,
      writtenAt: referencesWrittenAt,
    });
  return {
    get: () => fromPairs(readFresh()[key]),
    put(references) {
      const { [key]: previous, ...otherEntries } = readFresh();
      const kinds = toPairs(mergeReferences(fromPairs(previous), references));
      const isUnchanged = JSON.stringify(kinds) === JSON.stringify(previous?.kinds);
      if (previous && isUnchanged && now() - previous.at < msPerDay) return;
      const latest = Object.entries(otherEntries).sort(([, a], [, b]) => b.at - a.at);
      file.write(Object.fromEntries([[key, { at: now(), kinds }], ...latest.slice(0, maxAccounts - 1)]));
    },
  };
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

function toPairs(references: ReferencesByKind): ReferencesEntry['kinds'] {
  return Object.fromEntries(
    [...references].map(([kind, items]) => [kind, items.map(({ id, name }) => [id, name] as const)]),
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
  const isValid = Object.values(kinds).every((pairs) => Array.isArray(pairs) && pairs.every(isPair));
  return isValid ? at : undefined;
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

/** Opens the stored sign-in answers of a profile. */
export function openSignInAnswers(environment: Environment, profile: string): SignInAnswers {
  const file = new CacheFile(environment, 'sign-in.json');
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
