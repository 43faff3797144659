/** Reads and writes the caches of boh, which are small JSON files. If one is deleted, boh sends a request or asks a question again. */
import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { appFolder } from '../../base/app-folders.ts';
import type { Environment } from '../../base/environment.ts';
import { makeFolder } from '../../base/make-folder.ts';
import { replaceFileSync } from '../../base/replace-file.ts';
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

export const namesCacheName = 'completion.json';

const msPerDay = 24 * 60 * 60_000;

/** The maximum number of entries in a file; the latest are kept. */
const maxEntries = 20;

/** An entry of a cache with an entry for each account or request. `at` is in milliseconds since 1970. */
interface AccountEntry<Content> {
  at: number;
  content: Content;
}

export interface AccountCache<Content> {
  get(): Content | undefined;
  /** Stores the content. An unchanged one is written again only after a thirtieth of its lifetime. */
  put(content: Content): void;
}

/** Opens what a cache file stores about a key, such as a `whoamiKey`. `now` returns milliseconds since 1970. */
export function openAccountCache<Content>(
  environment: Environment,
  key: string,
  {
    name,
    isContent,
    lifetimeMs = 30 * msPerDay,
  }: { name: string; isContent(value: unknown): value is Content; lifetimeMs?: number },
  now: () => number = Date.now,
): AccountCache<Content> {
  const file = new CacheFile(environment, name);
  const writtenAt = (entry: unknown) => {
    const { at, content } = Object(entry) as Partial<AccountEntry<unknown>>;
    return typeof at === 'number' && isContent(content) ? at : undefined;
  };
  const readFresh = () => file.readFresh<AccountEntry<Content>>({ lifetimeMs, now, writtenAt });
  return {
    get: () => readFresh()[key]?.content,
    put(content) {
      const { [key]: previous, ...otherEntries } = readFresh();
      const isUnchanged = JSON.stringify(content) === JSON.stringify(previous?.content);
      if (previous && isUnchanged && now() - previous.at < lifetimeMs / 30) return;
      const latest = Object.entries(otherEntries).sort(([, a], [, b]) => b.at - a.at);
      file.write(Object.fromEntries([[key, { at: now(), content }], ...latest.slice(0, maxEntries - 1)]));
    },
  };
}

/**
 * Returns a key that doesn't reveal the token; the same token at another URL has another key. In a sandbox, the
 * settings may have no token.
 */
export function whoamiKey(url: string, token: Secret | undefined): string {
  return hash('sha256', `${url}\n${token?.reveal() ?? ''}`, 'hex');
}

/** Opens the cache of the scopes that `whoami` has returned, so that a command outside them is refused before it is sent. */
export function openScopesCache(
  environment: Environment,
  key: string,
  now?: () => number,
): AccountCache<readonly string[]> {
  const isContent = (value: unknown) => Array.isArray(value) && value.every(isText);
  return openAccountCache(environment, key, { name: 'whoami.json', isContent, lifetimeMs: 10 * 60_000 }, now);
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
