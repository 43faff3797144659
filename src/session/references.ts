/**
 * Knows the names of records that the API can't list: learned from answers, cached for other runs, and used where an
 * id is written as `@NAME`. Document: "Fields of the Branch, Product, … objects: not shown beyond their identifiers";
 * services still show their names.
 */

import { compareTexts } from '../base/compare-texts.ts';
import { Failure, usage } from '../base/errors.ts';
import { boh, type Hint, joinHints } from '../base/hint.ts';
import { namedItems } from '../base/shown-items.ts';
import { isRow, type Row } from '../client/shape.ts';
import type { Api } from '../contract/api.ts';
import type { Field, Fields } from '../contract/field.ts';
import { listShowing } from '../contract/include.ts';
import { keyForm } from '../contract/key-form.ts';
import type { Resource } from '../contract/resource.ts';
import { capitalized } from '../contract/wording.ts';
import {
  type NamedReference,
  type ReferenceCache,
  type ReferencesByKind,
  withSeen,
} from '../settings/caches.ts';

export interface References {
  /** Records the references in these records. */
  see(resource: Resource, records: readonly Row[]): void;
  /** Stores the seen references for other runs. */
  keep(): void;
  /** Returns the references of one kind, sorted by name. */
  known(target: string): NamedReference[];
}

export function openReferences(api: Api, cache: ReferenceCache): References {
  let kept: ReferencesByKind | undefined;
  let seen: ReferencesByKind = new Map();
  return {
    see(resource, records) {
      const shown = shownBy(api, resource, records);
      if (shown.size > 0) seen = withSeen(seen, shown);
    },
    keep() {
      if (seen.size === 0) return;
      cache.put(seen);
      kept = withSeen(kept ?? cache.get(), seen);
      seen = new Map();
    },
    known(target) {
      kept ??= cache.get();
      const known = withSeen(kept, seen).get(target) ?? [];
      return [...known].sort((a, b) => compareTexts(a.name, b.name));
    },
  };
}

/**
 * Returns the ids of the references by look-up. Unresolved ones have a failure: `not_found` if the name is unknown,
 * `usage` if several match or if references of the kind have no names. With `orId` a word may also be an id.
 */
export function findEachReference(
  api: Api,
  target: string,
  texts: readonly string[],
  known: readonly NamedReference[],
  { orId = false } = {},
): Map<string, string | Failure> {
  return new Map(
    [...new Set(texts)].map((text) => {
      const word = text.slice(1);
      const matching = known.filter(({ name }) => keyForm(undefined, name) === keyForm(undefined, word));
      const [only, ...others] = matching;
      if (only && others.length > 0) return [text, ambiguous(api, target, text, matching)];
      if (only) return [text, only.id];
      return [text, orId && !/\s/.test(word) ? word : unknown(api, target, text, known)];
    }),
  );
}

/** Returns whether the answer to `whoami` lists the records of the kind. */
export function accountShows({ account }: Api, target: string): boolean {
  return account !== undefined && shows(account.fields, target);
}

function shows(fields: Fields, target: string): boolean {
  return Object.values(fields).some(
    ({ traits }) => traits.target === target || (traits.fields !== undefined && shows(traits.fields, target)),
  );
}

function unknown(api: Api, target: string, text: string, known: readonly NamedReference[]): Failure {
  const [noun, nouns] = [api.nounOf(target), api.nounsOf(target)];
  if (target === '') {
    return usage(`${text} can't be looked up: the API doesn't say what kind of record it is.`, {
      hint: 'Use the ID.',
    });
  }
  if (api.reference(target)?.isNamed !== true) {
    return usage(`${text}: ${nouns} have no names to look up.`, { hint: 'Use the ID.' });
  }
  const all = known.length > 0 ? ` Known names: ${namedItems(known.map(({ name }) => name))}.` : '';
  return new Failure('not_found', `${capitalized(noun)} ${text} not found.${all}`, {
    hint: joinHints(
      '. ',
      sources(api, target, nouns),
      boh.hint`To list known names: ${boh.account(target.replaceAll('_', '-'))}`,
      'Or use the ID.',
    ),
  });
}

/** Returns the commands whose responses contain names of the kind; undefined if there are none. */
function sources(api: Api, target: string, nouns: string): Hint | undefined {
  const list = listShowing(api, target);
  const commands = [...(accountShows(api, target) ? ['whoami'] : []), ...(list === undefined ? [] : [list])];
  const all = joinHints('; ', ...commands.map((command) => boh.account(command)));
  return all && [`To learn more names of ${nouns}: `, all];
}

function ambiguous(api: Api, target: string, text: string, found: readonly NamedReference[]): Failure {
  const ids = namedItems(found.map(({ id }) => id));
  return usage(`${text} matches ${found.length} ${api.nounsOf(target)}: ${ids}.`, {
    hint: 'Use the ID of one of them.',
  });
}

function shownBy(api: Api, resource: Resource, records: readonly Row[]): ReferencesByKind {
  const found = new Map<string, NamedReference[]>();
  for (const record of records) collect(api, resource.fields, record, found);
  return found;
}

/** Collects references from every relation of the contract, also in included records and nested objects. */
function collect(api: Api, fields: Fields, row: Row, found: Map<string, NamedReference[]>): void {
  for (const [name, { traits }] of relationsIn(fields)) {
    const { target = '' } = traits;
    const value = Object.hasOwn(row, name) ? row[name] : undefined;
    for (const item of Array.isArray(value) ? value : [value]) {
      if (!isRow(item)) continue;
      if (api.reference(target)?.isNamed) note(found, target, item);
      else if (traits.fields) collect(api, traits.fields, item, found);
      else if (isIncluded(item)) collect(api, api.resource(target)?.fields ?? {}, item, found);
    }
  }
}

/** Returns whether more than the id is known: the fields of a record that only has an id aren't computed. */
function isIncluded(item: Row): boolean {
  return Object.keys(item).some((name) => name !== 'id' && name !== 'pivot');
}

function note(found: Map<string, NamedReference[]>, target: string, { id, name }: Row): void {
  if (typeof id !== 'string' || id === '' || typeof name !== 'string' || name === '') return;
  const kind = found.get(target) ?? [];
  found.set(target, kind);
  kind.push({ id, name });
}

const relations = new WeakMap<Fields, [string, Field][]>();

function relationsIn(fields: Fields): [string, Field][] {
  const known = relations.get(fields);
  if (known) return known;
  const found = Object.entries(fields).filter(
    ([, { traits }]) => traits.target !== undefined || traits.fields,
  );
  relations.set(fields, found);
  return found;
}
