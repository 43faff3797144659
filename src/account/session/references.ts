/**
 * Keeps the names of records that the API can't list, such as branches. They are collected from responses, cached for
 * other runs, and used to resolve `@NAME`. API document: "Fields of the Branch, Product, … objects: not shown beyond their
 * identifiers"; services still return their names.
 */

import type { Api } from '../../api/contract/api.ts';
import { type Field, type Fields, text as textField } from '../../api/contract/field.ts';
import { listCommandWith } from '../../api/contract/include.ts';
import { relateKeys } from '../../api/contract/normalize-key.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { capitalize } from '../../api/contract/wording.ts';
import { compareStrings } from '../../base/compare-strings.ts';
import type { Environment } from '../../base/environment.ts';
import { Failure, usage } from '../../base/errors.ts';
import { boh, type Hint, joinHints } from '../../base/hint.ts';
import { joinItems } from '../../base/shown-items.ts';
import { isRow, isStringArray, type Row } from '../client/shape.ts';
import { openAccountCache } from '../settings/caches.ts';
import type { LookupOptions } from './lookup.ts';

/** A record's ID and name. */
export interface NamedReference {
  id: string;
  name: string;
  /** The business's own code, if a response has contained it. */
  reference?: string;
}

/** References by kind, which has the API's name: `branches`. */
export type ReferencesByKind = ReadonlyMap<string, readonly NamedReference[]>;

/** The names of records that an account's responses have contained. */
export interface ReferenceNames {
  /** Collects the references in these records. */
  collect(resource: Resource, records: readonly Row[]): void;
  /** Collects the references in records of a path, which may list a kind of record that the API document can't list. */
  collectRaw(target: string, records: readonly Row[]): void;
  /** Stores the collected references for other runs. */
  store(): void;
  /** Returns the references of one kind, sorted by name. */
  all(target: string): NamedReference[];
}

export function openReferenceNames(api: Api, cache: ReferenceCache): ReferenceNames {
  let cachedReferences: ReferencesByKind | undefined;
  let collected: ReferencesByKind = new Map();
  const add = (newReferences: ReferencesByKind) => {
    if (newReferences.size > 0) collected = mergeReferences(collected, newReferences);
  };
  return {
    collect: (resource, records) => add(referencesIn(api, resource, records)),
    collectRaw(target, records) {
      const [, kind = ''] = target.split(/[/?]/);
      const resource = api.resource(kind);
      if (resource) return add(referencesIn(api, resource, records));
      const byTarget = new Map<string, NamedReference[]>();
      if (api.reference(kind)?.isNamed) for (const record of records) addReference(byTarget, kind, record);
      add(byTarget);
    },
    store() {
      if (collected.size === 0) return;
      cache.put(collected);
      cachedReferences = mergeReferences(cachedReferences ?? cache.get(), collected);
      collected = new Map();
    },
    all(target) {
      cachedReferences ??= cache.get();
      const references = mergeReferences(cachedReferences, collected).get(target) ?? [];
      return [...references].sort((a, b) => compareStrings(a.name, b.name));
    },
  };
}

/**
 * Returns the ID or the failure of each lookup: `not_found` if the name is unknown, `usage` if several references match or
 * if references of this kind have no names. With `orId` text without spaces may also be an ID.
 */
export function findEachReference(
  api: Api,
  target: string,
  texts: readonly string[],
  references: readonly NamedReference[],
  { orId = false, spellings }: Pick<LookupOptions, 'orId' | 'spellings'> = {},
): Map<string, string | Failure> {
  return new Map(
    [...new Set(texts)].map((text) => {
      const name = text.slice(1);
      const { matches, isFolded } = referencesNamed(references, name);
      const [match, ...otherMatches] = matches;
      if (match && otherMatches.length > 0) return [text, ambiguousFailure(api, target, text, matches)];
      if (match && isFolded) spellings?.add({ written: text, stored: match.name });
      if (match) return [text, match.id];
      return [text, orId && !/\s/.test(name) ? name : unknownFailure(api, target, text, references)];
    }),
  );
}

const nameField = textField();

/** Returns the references with a name; if there are none, those whose name is another spelling of it. */
export function referencesNamed(
  references: readonly NamedReference[],
  name: string,
): { matches: readonly NamedReference[]; isFolded: boolean } {
  const groups = Map.groupBy(references, (reference) => relateKeys(nameField, reference.name, name));
  const same = groups.get('same');
  return { matches: same ?? groups.get('folded') ?? [], isFolded: same === undefined };
}

/** Returns whether the response to `whoami` contains records of this kind. */
export function isListedByWhoami({ account }: Api, target: string): boolean {
  return account !== undefined && hasReferenceTo(account.fields, target);
}

function hasReferenceTo(fields: Fields, target: string): boolean {
  return Object.values(fields).some(
    ({ traits }) =>
      traits.target === target || (traits.fields !== undefined && hasReferenceTo(traits.fields, target)),
  );
}

function unknownFailure(
  api: Api,
  target: string,
  text: string,
  references: readonly NamedReference[],
): Failure {
  const [noun, nouns] = [api.nounOf(target), api.nounsOf(target)];
  if (target === '') {
    return usage(`${text} can't be looked up: the API doesn't say what kind of record it is.`, {
      hint: 'Use the ID.',
    });
  }
  if (api.reference(target)?.isNamed !== true) {
    return usage(`${text}: ${nouns} have no names to look up.`, { hint: 'Use the ID.' });
  }
  const knownNames =
    references.length > 0 ? ` Known names: ${joinItems(references.map(({ name }) => name))}.` : '';
  return new Failure('not_found', `${capitalize(noun)} ${text} not found.${knownNames}`, {
    hint: joinHints(
      '. ',
      sourcesHint(api, target, nouns),
      boh.hint`To list known names: ${boh.account(target.replaceAll('_', '-'))}`,
      'You can also use the ID.',
    ),
  });
}

/** Returns the commands whose responses contain names of the kind; undefined if there are none. */
function sourcesHint(api: Api, target: string, nouns: string): Hint | undefined {
  const list = listCommandWith(api, target);
  const commands = [
    ...(isListedByWhoami(api, target) ? ['whoami'] : []),
    ...(list === undefined ? [] : [list]),
  ];
  const commandLines = joinHints('; ', ...commands.map((command) => boh.account(command)));
  return commandLines && [`To collect more names of ${nouns}: `, commandLines];
}

function ambiguousFailure(
  api: Api,
  target: string,
  text: string,
  matches: readonly NamedReference[],
): Failure {
  const ids = joinItems(matches.map(({ id }) => id));
  return usage(`${text} matches ${matches.length} ${api.nounsOf(target)}: ${ids}.`, {
    hint: 'Use the ID of one of them.',
  });
}

/** Returns the named references in records of a resource. */
export function referencesIn(api: Api, resource: Resource, records: readonly Row[]): ReferencesByKind {
  const byTarget = new Map<string, NamedReference[]>();
  for (const record of records) collect(api, resource.fields, record, byTarget);
  return byTarget;
}

/** Collects references from every relation of the contract, also in included records and nested objects. */
function collect(api: Api, fields: Fields, row: Row, byTarget: Map<string, NamedReference[]>): void {
  for (const [name, { traits }] of relationsIn(fields)) {
    const { target = '' } = traits;
    const value = Object.hasOwn(row, name) ? row[name] : undefined;
    for (const item of Array.isArray(value) ? value : [value]) {
      if (!isRow(item)) continue;
      if (api.reference(target)?.isNamed) addReference(byTarget, target, item);
      else if (traits.fields) collect(api, traits.fields, item, byTarget);
      else if (isIncluded(item)) collect(api, api.resource(target)?.fields ?? {}, item, byTarget);
    }
  }
}

/** Returns whether the record has more fields than its ID. */
function isIncluded(item: Row): boolean {
  return Object.keys(item).some((name) => name !== 'id' && name !== 'pivot');
}

function addReference(
  byTarget: Map<string, NamedReference[]>,
  target: string,
  { id, name, reference }: Row,
): void {
  if (typeof id !== 'string' || id === '' || typeof name !== 'string' || name === '') return;
  const references = byTarget.get(target) ?? [];
  byTarget.set(target, references);
  references.push({ id, name, ...(typeof reference === 'string' && { reference }) });
}

const relations = new WeakMap<Fields, [string, Field][]>();

function relationsIn(fields: Fields): [string, Field][] {
  const cached = relations.get(fields);
  if (cached) return cached;
  const relationFields = Object.entries(fields).filter(
    ([, { traits }]) => traits.target !== undefined || traits.fields,
  );
  relations.set(fields, relationFields);
  return relationFields;
}

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
function mergeReferences(existing: ReferencesByKind, received: ReferencesByKind): ReferencesByKind {
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
  const isPair = (pair: unknown) => isStringArray(pair) && pair.length === 2;
  return Object.values(value).every((pairs) => Array.isArray(pairs) && pairs.every(isPair));
}
