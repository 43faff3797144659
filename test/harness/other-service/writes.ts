/** Responds to writes: creations, updates, deletions, restores and links. */

import { emptyValue, type IdSource, type Link, type Records, type StoredRecord } from './account.ts';
import type { Kind, Relation, ResourceData } from './declaration.ts';
import type { Facts } from './facts.ts';
import type { Answer } from './lists.ts';
import { linksOf, renderRecord } from './render.ts';
import { requireResource } from './resources.ts';

export interface WriteRequest {
  path: string;
  body: Readonly<Record<string, unknown>>;
  facts: Facts;
  records: Records;
  ids: IdSource;
  /** The time of the write. */
  now: string;
}

/** Creates a record. */
export function createRecord(request: WriteRequest): Answer {
  const { path, body, ids, now, facts } = request;
  const data = requireResource(path);
  const missing = (data.required ?? []).filter((name) => body[name] === undefined || body[name] === null);
  if (missing.length > 0) return invalid(missing.map((name) => [name, 'is required']));
  const record: StoredRecord = { id: ids.next(path) };
  for (const [name, kind] of Object.entries(fieldsOf(data, facts))) record[name] = emptyValue(kind);
  for (const [name, relation] of Object.entries(data.relations ?? {}))
    if (!relation.inverse) record[name] = [];
  Object.assign(record, { created_at: now, updated_at: now, deleted_at: null });
  if (path === 'users') record.is_owner = false;
  return apply(request, data, record, false);
}

/** Updates a record: only the fields in the body, or all of them. */
export function updateRecord(request: WriteRequest, stored: StoredRecord): Answer {
  return apply(
    request,
    requireResource(request.path),
    structuredClone(stored),
    request.facts.put === 'replace',
  );
}

/** Deletes or restores a record. */
export function deleteRecord(
  { path, records, now, facts }: WriteRequest,
  stored: StoredRecord,
  isDeleted: boolean,
): Answer {
  const data = requireResource(path);
  if (data.deletes === 'removed') records.get(path)?.delete(stored.id);
  stored.deleted_at = isDeleted ? now : null;
  stored.updated_at = now;
  return done(path, stored, records, facts);
}

/** Sets or removes a link by its own endpoint. */
export function changeLink(
  request: WriteRequest,
  stored: StoredRecord,
  name: string,
  id: string,
  isRemoved: boolean,
): Answer {
  const { path, body, records, facts, now } = request;
  const relation = requireResource(path).relations?.[name];
  if (!relation?.hasEndpoints || !records.get(relation.to)?.has(id))
    return { status: 404, body: { message: 'Not found.' } };
  const links = linksOf(path, stored, name, records);
  const previous = links.find((link) => link.id === id);
  const values = Object.fromEntries(
    Object.keys(relation.pivot ?? {}).map((field) => [field, body[field] ?? previous?.[field] ?? null]),
  );
  const others = links.filter((link) => link.id !== id);
  stored[name] = isRemoved
    ? others
    : previous
      ? links.map((link) => (link.id === id ? { id, ...values } : link))
      : [...links, { id, ...values }];
  stored.updated_at = now;
  if (isRemoved) return done(path, stored, records, facts);
  return {
    status: 200,
    body: { data: renderRecord(path, stored, { facts, records, isList: false, include: [] }) },
  };
}

function fieldsOf(data: ResourceData, { hasUnlistedFields }: Facts): Record<string, Kind> {
  return { ...data.fields, ...(hasUnlistedFields && data.unlisted) };
}

function apply(request: WriteRequest, data: ResourceData, record: StoredRecord, isReplaced: boolean): Answer {
  const { path, body, facts, records, now } = request;
  const mistakes: [string, string][] = [];
  for (const [name, kind] of Object.entries(fieldsOf(data, facts))) {
    if (kind === 'computed' || (name === 'type' && path !== 'timed_events' && record.type)) continue;
    if (Object.hasOwn(body, name)) record[name] = stored(kind, body[name]);
    else if (isReplaced) record[name] = emptyValue(kind);
  }
  for (const [name, relation] of Object.entries(data.relations ?? {})) {
    const links = requestedLinks(name, relation, body) ?? (isReplaced && !relation.inverse ? [] : undefined);
    if (!links) continue;
    const unknown = links.filter(({ id }) => relation.to !== '' && !records.get(relation.to)?.has(id));
    if (unknown.length > 0) mistakes.push([name, 'is invalid']);
    else setLinks(request, record, name, relation, links);
  }
  if (mistakes.length > 0) return invalid(mistakes);
  record.updated_at = now;
  records.get(path)?.set(record.id, record);
  return {
    status: 200,
    body: { data: renderRecord(path, record, { facts, records, isList: false, include: [] }) },
  };
}

/** Requests may have numbers as booleans, and text as numbers. */
function stored(kind: Kind, value: unknown): unknown {
  if (value === null) return null;
  if (kind === 'boolean') return value === true || value === 1 || value === '1' || value === 'true';
  if (kind === 'calling code') return Number(value);
  return value;
}

function requestedLinks(
  name: string,
  { isOne }: Relation,
  body: Readonly<Record<string, unknown>>,
): Link[] | undefined {
  if (isOne) {
    const id = body[`${name}_id`];
    return id === undefined ? undefined : id === null ? [] : [{ id: String(id) }];
  }
  const items = body[name];
  return items === undefined ? undefined : ((items ?? []) as Link[]);
}

function setLinks(
  { records, ids, now }: WriteRequest,
  record: StoredRecord,
  name: string,
  { to, inverse, isOne, pivot }: Relation,
  links: Link[],
): void {
  if (to === '') {
    record[name] = links.map((link) => ({ ...optionDefaults, ...link, id: link.id ?? ids.next('options') }));
    return;
  }
  if (!inverse) {
    const previous = (record[name] ?? []) as Link[];
    record[name] = links.map((link) => withPivot(link, previous, pivot)).slice(0, isOne ? 1 : undefined);
    return;
  }
  for (const other of records.get(to)?.values() ?? []) {
    const previous = (other[inverse] ?? []) as Link[];
    const isLinked = links.some(({ id }) => id === other.id);
    const wasLinked = previous.some(({ id }) => id === record.id);
    if (isLinked === wasLinked) continue;
    const isSingle = requireResource(to).relations?.[inverse]?.isOne;
    other[inverse] = isLinked
      ? [...(isSingle ? [] : previous), { id: record.id }]
      : previous.filter(({ id }) => id !== record.id);
    other.updated_at = now;
  }
}

const optionDefaults = {
  name: null,
  name_localized: null,
  sku: null,
  is_active: false,
  costing_method: 1,
  price: null,
  cost: null,
  calories: null,
};

function withPivot(link: Link, previous: readonly Link[], pivot: Relation['pivot']): Link {
  const known = previous.find(({ id }) => id === link.id);
  const nested = (link.pivot ?? {}) as Record<string, unknown>;
  const values = Object.keys(pivot ?? {}).map((field) => [
    field,
    link[field] ?? nested[field] ?? known?.[field] ?? null,
  ]);
  return { id: link.id, ...Object.fromEntries(values) };
}

function done(path: string, record: StoredRecord, records: Records, facts: Facts): Answer {
  if (facts.doneBody === 'empty') return { status: 200 };
  if (facts.doneBody === 'no content') return { status: 204 };
  return {
    status: 200,
    body: { data: renderRecord(path, record, { facts, records, isList: false, include: [] }) },
  };
}

function invalid(mistakes: readonly [name: string, text: string][]): Answer {
  const errors = Object.fromEntries(mistakes.map(([name, text]) => [name, [`The ${name} field ${text}.`]]));
  return { status: 422, body: { message: 'The given data was invalid.', errors } };
}
