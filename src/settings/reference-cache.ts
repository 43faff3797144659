/**
 * Names of records that the API has no list of, such as branches, as the answers to an account have shown them: kept
 * for a month, so that `@Riverside` means what it meant when it was last seen.
 */

import type { Environment } from '../base/environment.ts';
import { openCacheFile } from './cache-file.ts';

/** A record by its id and its name. */
export interface NamedReference {
  id: string;
  name: string;
}

/** By kind, in the API's words: `branches`. */
export type ReferencesByKind = ReadonlyMap<string, readonly NamedReference[]>;

export interface ReferenceCache {
  get(): ReferencesByKind;
  /** Adds these to what is kept. */
  put(seen: ReferencesByKind): void;
}

const day = 24 * 60 * 60_000;
const lifetime = 30 * day;

/** What is kept at most: accounts, records of one kind in each, characters of a name. The latest seen stay. */
const mostAccounts = 20;
const mostOfKind = 1_000;
const longestName = 200;

/** `key` stands for the account, as `whoamiKey` makes it. `now` gives milliseconds since 1970. */
export function openReferenceCache(
  environment: Environment,
  key: string,
  now: () => number = Date.now,
): ReferenceCache {
  const file = openCacheFile(environment, 'references.json');

  function fresh(): [string, Entry][] {
    return Object.entries(file.read())
      .filter((entry): entry is [string, Entry] => isEntry(entry[1]))
      .filter(([, { at }]) => at <= now() && now() - at < lifetime);
  }

  function put(seen: ReferencesByKind): void {
    const entries = fresh();
    const kept = entries.find(([account]) => account === key)?.[1];
    const kinds = asPairs(withSeen(fromPairs(kept), seen));
    const isKnown = JSON.stringify(kinds) === JSON.stringify(kept?.kinds);
    if (kept && isKnown && now() - kept.at < day) return;
    const others = entries.filter(([account]) => account !== key).sort(([, a], [, b]) => b.at - a.at);
    file.write(Object.fromEntries([[key, { at: now(), kinds }], ...others.slice(0, mostAccounts - 1)]));
  }

  return { get: () => fromPairs(fresh().find(([account]) => account === key)?.[1]), put };
}

/** What is known once more has been seen: a record that is called otherwise now goes by its new name alone. */
export function withSeen(known: ReferencesByKind, seen: ReferencesByKind): ReferencesByKind {
  const all = new Map(known);
  for (const [kind, references] of seen) {
    const names = new Map((known.get(kind) ?? []).map(({ id, name }) => [id, name]));
    for (const { id, name } of references) {
      if (name.length <= longestName) names.set(id, name);
    }
    all.set(
      kind,
      [...names].slice(-mostOfKind).map(([id, name]) => ({ id, name })),
    );
  }
  return all;
}

/** As they stand in the file. In pairs, as ids that look like numbers would lose their order as keys. */
interface Entry {
  at: number;
  kinds: Readonly<Record<string, readonly (readonly [id: string, name: string])[]>>;
}

function asPairs(references: ReferencesByKind): Entry['kinds'] {
  return Object.fromEntries(
    [...references].map(([kind, all]) => [kind, all.map(({ id, name }) => [id, name] as const)]),
  );
}

function fromPairs(entry: Entry | undefined): ReferencesByKind {
  const kinds = Object.entries(entry?.kinds ?? {});
  return new Map(kinds.map(([kind, pairs]) => [kind, pairs.map(([id, name]) => ({ id, name }))]));
}

function isEntry(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { at, kinds } = value as Partial<Entry>;
  if (typeof at !== 'number' || typeof kinds !== 'object' || kinds === null) return false;
  return Object.values(kinds).every((pairs) => Array.isArray(pairs) && pairs.every(isPair));
}

function isPair(value: unknown): boolean {
  return Array.isArray(value) && value.length === 2 && value.every((text) => typeof text === 'string');
}
