/** `@NAME` in ids, relations and filters, turned into ids before a request is made: all of them at once. */
import type { ListQuery } from '../client/query.ts';
import type { Call } from '../client/request.ts';
import { isRow } from '../client/shape.ts';
import type { Field } from '../contract/field.ts';
import { joinList, splitList } from '../contract/list-text.ts';
import { type BodyField, linkFields } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';

export function isLookup(id: string): boolean {
  return id.startsWith('@');
}

/** The ids of look-ups among the records of one kind, by look-up. */
export type FindIds = (
  target: string,
  texts: readonly string[],
  options: { deleted: boolean },
) => Promise<ReadonlyMap<string, string>>;

/** Whether anything in a call has to be looked up. */
export function hasNames(call: Call): boolean {
  const names = new NamesByTarget();
  walkCall(call, names.collect);
  return names.size > 0;
}

/** A call whose ids and relations hold no look-up any more. */
export async function resolveCall(call: Call, find: FindIds): Promise<Call> {
  const names = new NamesByTarget();
  walkCall(call, names.collect);
  if (names.size === 0) return call;
  return walkCall(call, await names.resolve(find));
}

/** The same for many calls at once: a hundred names take a few requests. */
export async function resolveCalls(calls: readonly Call[], find: FindIds): Promise<Call[]> {
  const names = new NamesByTarget();
  for (const call of calls) walkCall(call, names.collect);
  const replace = await names.resolve(find);
  return calls.map((call) => walkCall(call, replace));
}

/** The look-ups of a call, by the API's name for what they are look-ups of. */
export function namesIn(call: Call): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  walkCall(call, (target, id) => {
    if (isLookup(id)) found.set(target, (found.get(target) ?? new Set()).add(id));
    return id;
  });
  return found;
}

/** The records that a body names: ids with the API's name for what they are ids of, in nested objects as well. */
export function idsIn(
  fields: readonly BodyField[],
  body: Readonly<Record<string, unknown>>,
): { target: string; id: string }[] {
  const found: { target: string; id: string }[] = [];
  walkFields(fields, body, (target, id) => {
    found.push({ target, id });
    return id;
  });
  return found;
}

/** A body with something else in the place of each id. */
export function withIdsReplaced(
  fields: readonly BodyField[],
  body: Readonly<Record<string, unknown>>,
  replace: (target: string, id: string) => unknown,
): Record<string, unknown> {
  return walkFields(fields, body, replace);
}

/** A call with something else in the place of each look-up. */
export function withNames(call: Call, replace: (target: string, text: string) => string): Call {
  return walkCall(call, (target, id) => (isLookup(id) ? replace(target, id) : id));
}

/** The same for the relation filters of a list: `--category-id @Vegetables`, or several with commas. */
export async function resolveFilters(
  resource: Resource,
  query: ListQuery,
  find: FindIds,
): Promise<ListQuery> {
  const names = new NamesByTarget();
  walkFilters(resource, query, names.collect);
  if (names.size === 0) return query;
  return walkFilters(resource, query, await names.resolve(find));
}

/** The relation filters of a list that hold a look-up: any other may be given a text that begins with an @. */
export function namedFilters(resource: Resource, query: ListQuery): string[] {
  const named: string[] = [];
  walkFilters(resource, query, (_, id, __, name) => {
    if (name !== undefined && isLookup(id)) named.push(name);
    return id;
  });
  return [...new Set(named)];
}

/** Told of each id and of what it is an id; answers what stands in its place. */
type Visit = (target: string, id: string, deleted: boolean, filter?: string) => string;
type VisitAny = (target: string, id: string, deleted: boolean) => unknown;

/** The look-ups of a request, sorted by the kind of record that they name. */
class NamesByTarget {
  readonly #names = new Map<string, { target: string; deleted: boolean; texts: Set<string> }>();

  get size(): number {
    return this.#names.size;
  }

  readonly collect: Visit = (target, id, deleted) => {
    if (!isLookup(id)) return id;
    const key = `${target} ${deleted}`;
    const group = this.#names.get(key) ?? { target, deleted, texts: new Set() };
    this.#names.set(key, group);
    group.texts.add(id);
    return id;
  };

  async resolve(find: FindIds): Promise<Visit> {
    const found = new Map<string, ReadonlyMap<string, string>>();
    for (const [key, { target, deleted, texts }] of this.#names) {
      found.set(key, await find(target, [...texts], { deleted }));
    }
    return (target, id, deleted) => found.get(`${target} ${deleted}`)?.get(id) ?? id;
  }
}

function walkCall(call: Call, visit: Visit): Call {
  const { operation, ids, body } = call;
  // Only what is restored is looked for among deleted records.
  const deleted = operation.effect === 'restore';
  return {
    ...call,
    ...(ids && { ids: ids.map((id, index) => visit(operation.params[index]?.target ?? '', id, deleted)) }),
    ...(body && { body: walkFields(operation.body, body, visit) }),
  };
}

interface Named {
  name: string;
  field: Field;
}

function walkFields(
  fields: readonly Named[],
  body: Readonly<Record<string, unknown>>,
  visit: VisitAny,
): Record<string, unknown> {
  const walked = { ...body };
  for (const { name, field } of fields) {
    if (Object.hasOwn(body, name)) walked[name] = walkValue(field, body[name], visit);
  }
  return walked;
}

/** Relations at any depth: in lists, in what a link holds, in nested objects. */
function walkValue(field: Field, value: unknown, visit: VisitAny): unknown {
  const { target, fields } = field.traits;
  if (Array.isArray(value)) return value.map((item) => walkValue(field, item, visit));
  if (fields && isRow(value)) return walkFields(namedFields(fields), value, visit);
  if (target === undefined) {
    // Ids of more than one kind of record: a name can’t be told there, and must not go out as an id.
    return field.kind === 'ids' && typeof value === 'string' ? visit('', value, false) : value;
  }
  if (typeof value === 'string') return visit(target, value, false);
  if (!isRow(value)) return value;
  const id = typeof value.id === 'string' ? { id: visit(target, value.id, false) } : {};
  return { ...walkFields(linkFields(field), value, visit), ...id };
}

/** A nested relation may stand under its own name or under that of its id. */
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

function walkFilters({ filters: known, fields }: Resource, query: ListQuery, visit: Visit): ListQuery {
  const filters: Record<string, string> = { ...query.filters };
  for (const { name, value, on = '' } of known) {
    const text = Object.hasOwn(filters, name) ? filters[name] : undefined;
    const target = value.traits.target ?? fields[on]?.traits.target;
    if (!text?.includes('@') || target === undefined) continue;
    filters[name] = joinList(splitList(text).map((id) => visit(target, id, false, name)));
  }
  return { ...query, filters };
}
