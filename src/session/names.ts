/** Replaces `@NAME` in IDs, relations and filters with IDs before a request is sent. */
import { Failure } from '../base/errors.ts';
import type { Call, ListQuery } from '../client/request.ts';
import { isRow } from '../client/shape.ts';
import type { Api } from '../contract/api.ts';
import { joinList, splitList } from '../contract/comma-list.ts';
import type { Field } from '../contract/field.ts';
import { type BodyField, linkFields } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import type { NamedReference } from '../settings/caches.ts';
import type { Access } from './access.ts';
import { accountIfReadable } from './account.ts';
import { combineFailures, type LookupOptions, lookUpEach } from './lookup.ts';
import { findEachReference, isListedByWhoami } from './references.ts';

/** A lookup that doesn't match exactly one record. */
export interface UnresolvedLookup {
  resource: Resource;
  /** The lookup as the user entered it: `@huda`. */
  text: string;
  deleted: boolean;
  /** Whether several records match. */
  hasSeveralMatches: boolean;
  /** Whether similar records exist. */
  hasSimilar: boolean;
}

/** Asks the user for the ID; returns undefined to keep the failure. */
export type ChooseRecord = (lookup: UnresolvedLookup) => Promise<string | undefined>;

/** The options of `Names`; see `SessionOptions`. */
export interface NamesOptions {
  api: Api;
  offline?: boolean | undefined;
  choose: ChooseRecord;
}

/** Resolves names in one account. Offline they stay unresolved. */
export class Names {
  readonly #access: Access;
  readonly #options: NamesOptions;

  constructor(access: Access, options: NamesOptions) {
    this.#access = access;
    this.#options = options;
  }

  /** Returns the call with IDs instead of lookups. */
  async resolve(call: Call): Promise<Call> {
    const [resolved = call] = await this.resolveAll([call]);
    return resolved;
  }

  /** Resolves the names of many calls at once: a hundred names take a few requests. */
  async resolveAll(calls: readonly Call[]): Promise<Call[]> {
    const names = new LookupsByTarget();
    if (!this.#options.offline) for (const call of calls) mapCall(call, names.collect);
    if (names.size === 0) return [...calls];
    const replace = await this.#replacements(names);
    return calls.map((call) => mapCall(call, replace));
  }

  /** Resolves the names in the relation filters of a list: `--category-id @Vegetables`, or several with commas. */
  async resolveFilters(resource: Resource, query: ListQuery): Promise<ListQuery> {
    const names = new LookupsByTarget();
    if (!this.#options.offline) mapFilters(resource, query, names.collect);
    if (names.size === 0) return query;
    return mapFilters(resource, query, await this.#replacements(names));
  }

  /** Returns the ID of each lookup, or why it has none. `target` is the API's name of the resource. */
  async find(
    target: string,
    texts: readonly string[],
    options?: LookupOptions,
  ): Promise<Map<string, string | Failure>> {
    const { api } = this.#options;
    const resource = api.resource(target);
    if (resource) return lookUpEach(await this.#access.client(), resource, texts, options);
    return findEachReference(api, target, texts, await this.references(target), options);
  }

  /** Returns the ID of a record. `text` is the ID itself or a lookup. */
  async idOf(target: string, text: string): Promise<string> {
    return isLookup(text) ? ((await this.#ids(target, [text], false)).get(text) ?? text) : text;
  }

  /** Returns the known names of a kind of record that the API can't list. */
  async references(target: string): Promise<NamedReference[]> {
    // Names in the account are read again, because a name may have moved to another record.
    if (isListedByWhoami(this.#options.api, target)) {
      await accountIfReadable({ whoami: (options) => this.#access.whoamiRequest.request(options) });
    }
    return (await this.#access.references()).all(target);
  }

  async #ids(target: string, texts: readonly string[], deleted: boolean): Promise<Map<string, string>> {
    const results = await this.find(target, texts, { deleted });
    return chooseIds(this.#options.api.resource(target), results, { deleted }, this.#options.choose);
  }

  async #replacements(names: LookupsByTarget): Promise<ReplaceId> {
    const results = new Map<string, ReadonlyMap<string, string>>();
    for (const [key, { target, deleted, texts }] of names) {
      results.set(key, await this.#ids(target, [...texts], deleted));
    }
    return (target, id, deleted) => results.get(`${target} ${deleted}`)?.get(id) ?? id;
  }
}

/**
 * Returns the ID of each lookup. For a failed one, `choose` may return the ID; the remaining failures are thrown as
 * one.
 */
export async function chooseIds(
  resource: Resource | undefined,
  results: ReadonlyMap<string, string | Failure>,
  { deleted = false }: LookupOptions,
  choose: ChooseRecord,
): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  const failures: Failure[] = [];
  for (const [text, result] of results) {
    if (!(result instanceof Failure)) {
      ids.set(text, result);
      continue;
    }
    const { lookup } = result.details;
    const hasSeveralMatches = result.category === 'usage';
    const chosenId =
      lookup &&
      resource &&
      (await choose({
        resource,
        text,
        deleted,
        hasSimilar: lookup.hasSimilar,
        hasSeveralMatches,
      }));
    if (chosenId === undefined) failures.push(result);
    else ids.set(text, chosenId);
  }
  if (failures.length > 0) throw combineFailures(failures, resource);
  return ids;
}

/** Returns whether a string is a lookup rather than an ID. */
export function isLookup(id: string): boolean {
  return id.startsWith('@');
}

/** Returns whether a call contains lookups. */
export function hasLookups(call: Call): boolean {
  const names = new LookupsByTarget();
  mapCall(call, names.collect);
  return names.size > 0;
}

/** Returns the lookups of a call, by the API's name of their resource. */
export function lookupsIn(call: Call): Map<string, Set<string>> {
  const results = new Map<string, Set<string>>();
  mapCall(call, (target, id) => {
    if (isLookup(id)) results.set(target, (results.get(target) ?? new Set()).add(id));
    return id;
  });
  return results;
}

/** Returns the IDs in a body with the API's names of their resources, also in nested objects. */
export function idsIn(
  fields: readonly BodyField[],
  body: Readonly<Record<string, unknown>>,
): { target: string; id: string }[] {
  const results: { target: string; id: string }[] = [];
  mapFields(fields, body, (target, id) => {
    results.push({ target, id });
    return id;
  });
  return results;
}

/** Returns the body with its IDs replaced. */
export function replaceIds(
  fields: readonly BodyField[],
  body: Readonly<Record<string, unknown>>,
  replace: (target: string, id: string) => unknown,
): Record<string, unknown> {
  return mapFields(fields, body, replace);
}

/** Returns the call with its lookups replaced. */
export function replaceLookups(call: Call, replace: (target: string, text: string) => string): Call {
  return mapCall(call, (target, id) => (isLookup(id) ? replace(target, id) : id));
}

/** Returns the lookups in the filters of a list, by their resource. */
export function lookupsInFilters(resource: Resource, query: ListQuery): Map<string, Set<string>> {
  const results = new Map<string, Set<string>>();
  mapFilters(resource, query, (target, id) => {
    if (isLookup(id)) results.set(target, (results.get(target) ?? new Set()).add(id));
    return id;
  });
  return results;
}

/** Returns the query with IDs instead of lookups. */
export function replaceFilterLookups(
  resource: Resource,
  query: ListQuery,
  idOf: (target: string, text: string) => string,
): ListQuery {
  return mapFilters(resource, query, (target, id) => (isLookup(id) ? idOf(target, id) : id));
}

/** Returns the replacement of an ID; `target` is the API's name of its resource. */
type ReplaceId = (target: string, id: string, deleted: boolean, filter?: string) => string;
type ReplaceAnyId = (target: string, id: string, deleted: boolean) => unknown;

/** The lookups of a request, by their resource. */
class LookupsByTarget extends Map<string, { target: string; deleted: boolean; texts: Set<string> }> {
  readonly collect: ReplaceId = (target, id, deleted) => {
    if (!isLookup(id)) return id;
    const key = `${target} ${deleted}`;
    const group = this.get(key) ?? { target, deleted, texts: new Set() };
    this.set(key, group);
    group.texts.add(id);
    return id;
  };
}

function mapCall(call: Call, replace: ReplaceId): Call {
  const { operation, ids, body } = call;
  // Only records to restore are searched for among deleted ones.
  const deleted = operation.effect === 'restore';
  return {
    ...call,
    ...(ids && { ids: ids.map((id, index) => replace(operation.params[index]?.target ?? '', id, deleted)) }),
    ...(body && { body: mapFields(operation.body, body, replace) }),
  };
}

interface NamedField {
  name: string;
  field: Field;
}

function mapFields(
  fields: readonly NamedField[],
  body: Readonly<Record<string, unknown>>,
  visit: ReplaceAnyId,
): Record<string, unknown> {
  const mapped = { ...body };
  for (const { name, field } of fields) {
    if (Object.hasOwn(body, name)) mapped[name] = mapValue(field, body[name], visit);
  }
  return mapped;
}

/** Replaces relations at any depth: in lists, in link fields, in nested objects. */
function mapValue(field: Field, value: unknown, visit: ReplaceAnyId): unknown {
  const { target, fields } = field.traits;
  if (Array.isArray(value)) return value.map((item) => mapValue(field, item, visit));
  if (fields && isRow(value)) return mapFields(namedFields(fields), value, visit);
  if (target === undefined) {
    // These IDs can belong to several kinds of records: a name can't be looked up, and must not be sent as an ID.
    return field.kind === 'ids' && typeof value === 'string' ? visit('', value, false) : value;
  }
  if (typeof value === 'string') return visit(target, value, false);
  if (!isRow(value)) return value;
  const id = typeof value.id === 'string' ? { id: visit(target, value.id, false) } : {};
  return { ...mapFields(linkFields(field), value, visit), ...id };
}

/** Returns the nested fields. A relation is included under its own name and under the name of its ID. */
function namedFields(fields: Readonly<Record<string, Field>>): NamedField[] {
  return Object.entries(fields).flatMap(([name, field]) =>
    field.kind === 'one'
      ? [
          { name, field },
          { name: `${name}_id`, field },
        ]
      : [{ name, field }],
  );
}

function mapFilters(
  { filters: allFilters, fields }: Resource,
  query: ListQuery,
  visit: ReplaceId,
): ListQuery {
  const filters: Record<string, string> = { ...query.filters };
  for (const { name, value, on = '' } of allFilters) {
    const text = Object.hasOwn(filters, name) ? filters[name] : undefined;
    const target = value.traits.target ?? fields[on]?.traits.target;
    if (!text?.includes('@') || target === undefined) continue;
    filters[name] = joinList(splitList(text).map((id) => visit(target, id, false, name)));
  }
  return { ...query, filters };
}
