/** Finds and replaces the IDs and lookups (`@NAME`) in calls, bodies and filters. */

import { joinList, splitList } from '../../api/contract/comma-list.ts';
import type { Field } from '../../api/contract/field.ts';
import { type BodyField, linkFields } from '../../api/contract/operation.ts';
import type { Resource } from '../../api/contract/resource.ts';
import type { Call, ListQuery } from '../client/request.ts';
import { isRow } from '../client/shape.ts';

export function isLookup(id: string): boolean {
  return id.startsWith('@');
}

export function hasLookups(call: Call): boolean {
  return lookupsIn(call).size > 0;
}

/** Returns the lookups of a call, by the API's name of their resource. */
export function lookupsIn(call: Call): Map<string, Set<string>> {
  return collectLookups((visit) => mapCall(call, visit));
}

function collectLookups(visitAll: (visit: ReplaceId) => unknown): Map<string, Set<string>> {
  const results = new Map<string, Set<string>>();
  visitAll((target, id) => {
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

export function replaceIds(
  fields: readonly BodyField[],
  body: Readonly<Record<string, unknown>>,
  replace: (target: string, id: string) => unknown,
): Record<string, unknown> {
  return mapFields(fields, body, replace);
}

export function replaceLookups(call: Call, replace: (target: string, text: string) => string): Call {
  return mapCall(call, (target, id) => (isLookup(id) ? replace(target, id) : id));
}

export function lookupsInFilters(resource: Resource, query: ListQuery): Map<string, Set<string>> {
  return collectLookups((visit) => mapFilters(resource, query, visit));
}

export function replaceFilterLookups(
  resource: Resource,
  query: ListQuery,
  idOf: (target: string, text: string) => string,
): ListQuery {
  return mapFilters(resource, query, (target, id) => (isLookup(id) ? idOf(target, id) : id));
}

/** Returns the replacement of an ID; `target` is the API's name of its resource. */
export type ReplaceId = (target: string, id: string, deleted: boolean, filter?: string) => string;
type ReplaceAnyId = (target: string, id: string, deleted: boolean) => unknown;

/** The lookups of a request, by their resource. */
export class LookupsByTarget extends Map<string, { target: string; deleted: boolean; texts: Set<string> }> {
  readonly collect: ReplaceId = (target, id, deleted) => {
    if (!isLookup(id)) return id;
    const key = `${target} ${deleted}`;
    const group = this.get(key) ?? { target, deleted, texts: new Set() };
    this.set(key, group);
    group.texts.add(id);
    return id;
  };
}

/** Returns the call with its IDs and the relations in its body replaced. */
export function mapCall(call: Call, replace: ReplaceId): Call {
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

export function mapFilters(
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
