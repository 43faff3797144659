/** Resolves `@NAME` in ids, relations and filters to ids before a request is sent, all of them together. */
import { Failure } from '../base/errors.ts';
import type { Call, ListQuery } from '../client/request.ts';
import { isRow } from '../client/shape.ts';
import type { Api } from '../contract/api.ts';
import type { Field } from '../contract/field.ts';
import { joinList, splitList } from '../contract/list-text.ts';
import { type BodyField, linkFields } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import type { NamedReference } from '../settings/caches.ts';
import type { Access } from './access.ts';
import { accountIfShown } from './account.ts';
import { type LookupOptions, lookUpEach, together } from './look-up.ts';
import { accountShows, findEachReference } from './references.ts';

/** A look-up that doesn't match exactly one record. */
export interface AmbiguousName {
  resource: Resource;
  /** The text as typed: `@huda`. */
  text: string;
  deleted: boolean;
  /** Whether several records match. */
  isSeveral: boolean;
  /** Whether similar records exist. */
  isNear: boolean;
}

/** Asks the user for the intended id; undefined keeps the failure. */
export type Choose = (wanted: AmbiguousName) => Promise<string | undefined>;

/** The options of names: see `SessionOptions`. */
export interface NamesOptions {
  api: Api;
  offline?: boolean | undefined;
  choose: Choose;
}

/** Resolves names in one account. Offline they stay unresolved. */
export class Names {
  readonly #access: Access;
  readonly #options: NamesOptions;

  constructor(access: Access, options: NamesOptions) {
    this.#access = access;
    this.#options = options;
  }

  /** Returns the call with ids instead of look-ups. */
  async resolve(call: Call): Promise<Call> {
    const [resolved = call] = await this.resolveAll([call]);
    return resolved;
  }

  /** Returns the same for many calls at once: a hundred names take a few requests. */
  async resolveAll(calls: readonly Call[]): Promise<Call[]> {
    const names = new NamesByTarget();
    if (!this.#options.offline) for (const call of calls) mapCall(call, names.collect);
    if (names.size === 0) return [...calls];
    const replace = await this.#replacing(names);
    return calls.map((call) => mapCall(call, replace));
  }

  /** Returns the same for the relation filters of a list: `--category-id @Vegetables`, or several with commas. */
  async resolveFilters(resource: Resource, query: ListQuery): Promise<ListQuery> {
    const names = new NamesByTarget();
    if (!this.#options.offline) mapFilters(resource, query, names.collect);
    if (names.size === 0) return query;
    return mapFilters(resource, query, await this.#replacing(names));
  }

  /** Returns the id of each look-up, or why it has none. `target` is the API's name of the resource. */
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

  /** Returns the id that a text stands for: its own, or that of a look-up. */
  async idOf(target: string, text: string): Promise<string> {
    return isLookup(text) ? ((await this.#ids(target, [text], false)).get(text) ?? text) : text;
  }

  /** Returns the known records of a kind that the API has no list of. */
  async references(target: string): Promise<NamedReference[]> {
    // Those that the account shows are read again: a name may have moved to another record.
    if (accountShows(this.#options.api, target)) {
      await accountIfShown({ whoami: (how) => this.#access.whoamiRequest.answer(how) });
    }
    return (await this.#access.references()).known(target);
  }

  async #ids(target: string, texts: readonly string[], deleted: boolean): Promise<Map<string, string>> {
    const found = await this.find(target, texts, { deleted });
    return chooseOne(this.#options.api.resource(target), found, { deleted }, this.#options.choose);
  }

  async #replacing(names: NamesByTarget): Promise<Visit> {
    const found = new Map<string, ReadonlyMap<string, string>>();
    for (const [key, { target, deleted, texts }] of names) {
      found.set(key, await this.#ids(target, [...texts], deleted));
    }
    return (target, id, deleted) => found.get(`${target} ${deleted}`)?.get(id) ?? id;
  }
}

/** Returns the ids. A choice replaces a failure; the remaining failures are thrown as one. */
export async function chooseOne(
  resource: Resource | undefined,
  found: ReadonlyMap<string, string | Failure>,
  { deleted = false }: LookupOptions,
  choose: Choose,
): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  const failures: Failure[] = [];
  for (const [text, id] of found) {
    if (!(id instanceof Failure)) {
      ids.set(text, id);
      continue;
    }
    const { lookup } = id.details;
    const isSeveral = id.category === 'usage';
    const chosen =
      lookup && resource && (await choose({ resource, text, deleted, isNear: lookup.isNear, isSeveral }));
    if (chosen === undefined) failures.push(id);
    else ids.set(text, chosen);
  }
  if (failures.length > 0) throw together(failures, resource);
  return ids;
}

/** Returns whether a text is a look-up rather than an id. */
export function isLookup(id: string): boolean {
  return id.startsWith('@');
}

/** Returns whether a call contains look-ups. */
export function hasNames(call: Call): boolean {
  const names = new NamesByTarget();
  mapCall(call, names.collect);
  return names.size > 0;
}

/** Returns the look-ups of a call, by the API's name of their resource. */
export function namesIn(call: Call): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  mapCall(call, (target, id) => {
    if (isLookup(id)) found.set(target, (found.get(target) ?? new Set()).add(id));
    return id;
  });
  return found;
}

/** Returns the ids in a body with the API's names of their resources, also in nested objects. */
export function idsIn(
  fields: readonly BodyField[],
  body: Readonly<Record<string, unknown>>,
): { target: string; id: string }[] {
  const found: { target: string; id: string }[] = [];
  mapFields(fields, body, (target, id) => {
    found.push({ target, id });
    return id;
  });
  return found;
}

/** Returns the body with its ids replaced. */
export function withIdsReplaced(
  fields: readonly BodyField[],
  body: Readonly<Record<string, unknown>>,
  replace: (target: string, id: string) => unknown,
): Record<string, unknown> {
  return mapFields(fields, body, replace);
}

/** Returns the call with its look-ups replaced. */
export function withNames(call: Call, replace: (target: string, text: string) => string): Call {
  return mapCall(call, (target, id) => (isLookup(id) ? replace(target, id) : id));
}

/** Returns the look-ups in the filters of a list, by their resource. */
export function filterLookups(resource: Resource, query: ListQuery): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  mapFilters(resource, query, (target, id) => {
    if (isLookup(id)) found.set(target, (found.get(target) ?? new Set()).add(id));
    return id;
  });
  return found;
}

/** Returns the query with ids instead of look-ups. */
export function withFilterIds(
  resource: Resource,
  query: ListQuery,
  idOf: (target: string, text: string) => string,
): ListQuery {
  return mapFilters(resource, query, (target, id) => (isLookup(id) ? idOf(target, id) : id));
}

/** Called with each id and its resource; returns the replacement. */
type Visit = (target: string, id: string, deleted: boolean, filter?: string) => string;
type VisitAny = (target: string, id: string, deleted: boolean) => unknown;

/** The look-ups of a request, by their resource. */
class NamesByTarget extends Map<string, { target: string; deleted: boolean; texts: Set<string> }> {
  readonly collect: Visit = (target, id, deleted) => {
    if (!isLookup(id)) return id;
    const key = `${target} ${deleted}`;
    const group = this.get(key) ?? { target, deleted, texts: new Set() };
    this.set(key, group);
    group.texts.add(id);
    return id;
  };
}

function mapCall(call: Call, visit: Visit): Call {
  const { operation, ids, body } = call;
  // Only what is restored is looked for among deleted records.
  const deleted = operation.effect === 'restore';
  return {
    ...call,
    ...(ids && { ids: ids.map((id, index) => visit(operation.params[index]?.target ?? '', id, deleted)) }),
    ...(body && { body: mapFields(operation.body, body, visit) }),
  };
}

interface Named {
  name: string;
  field: Field;
}

function mapFields(
  fields: readonly Named[],
  body: Readonly<Record<string, unknown>>,
  visit: VisitAny,
): Record<string, unknown> {
  const mapped = { ...body };
  for (const { name, field } of fields) {
    if (Object.hasOwn(body, name)) mapped[name] = mapValue(field, body[name], visit);
  }
  return mapped;
}

/** Replaces relations at any depth: in lists, in link fields, in nested objects. */
function mapValue(field: Field, value: unknown, visit: VisitAny): unknown {
  const { target, fields } = field.traits;
  if (Array.isArray(value)) return value.map((item) => mapValue(field, item, visit));
  if (fields && isRow(value)) return mapFields(namedFields(fields), value, visit);
  if (target === undefined) {
    // These ids can be of several kinds of records: a name can't be looked up, and must not be sent as an id.
    return field.kind === 'ids' && typeof value === 'string' ? visit('', value, false) : value;
  }
  if (typeof value === 'string') return visit(target, value, false);
  if (!isRow(value)) return value;
  const id = typeof value.id === 'string' ? { id: visit(target, value.id, false) } : {};
  return { ...mapFields(linkFields(field), value, visit), ...id };
}

/** Returns a nested relation, which has its own name or that of its id. */
function namedFields(fields: Readonly<Record<string, Field>>): Named[] {
  return Object.entries(fields).flatMap(([name, field]) =>
    field.kind === 'one'
      ? [
          { name, field },
          { name: `${name}_id`, field },
        ]
      : [{ name, field }],
  );
}

function mapFilters({ filters: known, fields }: Resource, query: ListQuery, visit: Visit): ListQuery {
  const filters: Record<string, string> = { ...query.filters };
  for (const { name, value, on = '' } of known) {
    const text = Object.hasOwn(filters, name) ? filters[name] : undefined;
    const target = value.traits.target ?? fields[on]?.traits.target;
    if (!text?.includes('@') || target === undefined) continue;
    filters[name] = joinList(splitList(text).map((id) => visit(target, id, false, name)));
  }
  return { ...query, filters };
}
