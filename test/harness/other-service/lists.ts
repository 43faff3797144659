/** Responds to requests for lists: filters, sorting, relations and pages. */

import type { Records, StoredRecord } from './account.ts';
import type { Facts } from './facts.ts';
import { includableOf, linksOf, renderRecord } from './render.ts';
import { resources } from './resources.ts';

/** The status and the body of a response. */
export interface Answer {
  status: number;
  body?: unknown;
}

export interface ListRequest {
  path: string;
  query: URLSearchParams;
  facts: Facts;
  records: Records;
}

/** Returns a page of a list, or a refusal. */
export function listRecords(request: ListRequest): Answer {
  const { path, query, facts, records } = request;
  const brokenStatus = facts.brokenLists[path];
  if (brokenStatus) return { status: brokenStatus, body: { message: messages[brokenStatus] } };
  const refusal = refuseFilters(request) ?? refuseSort(request) ?? refuseInclude(path, query, facts);
  if (refusal) return refusal;
  const rows = sortRecords(selectRecords(request), query.get('sort') ?? '');
  const size = pageSizeOf(query, facts);
  const number = Number(query.get('page') ?? 1);
  const page = rows.slice((number - 1) * size, number * size);
  const view = { facts, records, isList: true, include: includesOf(query) };
  const data = page.map((record) => renderRecord(path, record, view));
  return { status: 200, body: { data, ...describePage(request, { number, size, total: rows.length }) } };
}

/** Returns the requested relations. */
export function includesOf(query: URLSearchParams): string[] {
  return (query.get('include') ?? '').split(',').filter((name) => name !== '');
}

/** Returns a refusal if the request includes a relation that isn't allowed. */
export function refuseInclude(path: string, query: URLSearchParams, facts: Facts): Answer | undefined {
  const allowed = includableOf(path, facts);
  const refused = includesOf(query).filter((name) => !allowed.includes(name.split('.')[0] ?? ''));
  if (refused.length === 0) return undefined;
  return refusal('include', refused, allowed, facts);
}

const messages = { 400: 'Bad request.', 403: 'This action is unauthorized.', 404: 'Not found.' };

function refusal(
  kind: string,
  refused: readonly string[],
  allowed: readonly string[],
  { namesAllowed }: Facts,
): Answer {
  const names = refused.map((name) => `\`${name}\``).join(', ');
  const allowedNames = allowed.map((name) => `\`${name}\``).join(', ');
  const message = `Requested ${kind}(s) ${names} are not allowed. Allowed ${kind}(s) are ${allowedNames}.`;
  return { status: 400, body: { message: namesAllowed ? message : 'Bad request.' } };
}

function filtersOf(query: URLSearchParams): [name: string, value: string][] {
  return [...query].flatMap(([name, value]): [string, string][] => {
    const [, filter] = /^filter\[(.+)\]$/.exec(name) ?? [];
    return filter ? [[filter, value]] : [];
  });
}

function refuseFilters({ path, query, facts }: ListRequest): Answer | undefined {
  const allowed = (resources[path]?.filters ?? 'id name is_deleted updated_after')
    .split(' ')
    .filter((name) => name !== 'is_deleted' || facts.deletedFilter !== 'refused');
  const refused = filtersOf(query)
    .map(([name]) => name)
    .filter((name) => !allowed.includes(name));
  const isRefused =
    refused.length > 0 && (facts.unlistedFilters === 'refused' || refused.includes('is_deleted'));
  return isRefused ? refusal('filter', refused, allowed, facts) : undefined;
}

function refuseSort({ query, facts }: ListRequest): Answer | undefined {
  const sort = query.get('sort')?.replace(/^-/, '') ?? 'created_at';
  const allowed = ['created_at', 'updated_at', 'name', 'reference'];
  return allowed.includes(sort) ? undefined : refusal('sort', [sort], allowed, facts);
}

function selectRecords({ path, query, facts, records }: ListRequest): StoredRecord[] {
  const filters = filtersOf(query).filter(([name]) => name !== 'is_deleted');
  const deleted = query.get('filter[is_deleted]');
  const wantsDeleted = facts.deletedFilter !== 'ignored' && ['true', '1'].includes(deleted ?? '');
  const wantsActive = facts.deletedFilter !== 'ignored' && ['false', '0'].includes(deleted ?? '');
  return [...(records.get(path)?.values() ?? [])].filter((record) => {
    const isDeleted = Boolean(record.deleted_at);
    if (wantsDeleted && facts.deletedFilter === 'only' && !isDeleted) return false;
    if (isDeleted && (wantsActive || !(wantsDeleted || facts.listsDeleted))) return false;
    return filters.every(([name, value]) => matches(path, record, name, value, records));
  });
}

function matches(path: string, record: StoredRecord, name: string, value: string, records: Records): boolean {
  const text = (field: string) => String(record[field] ?? '');
  if (name === 'updated_after') return text('updated_at') > value;
  if (name.endsWith('_after')) return text(name.replace(/_after$/, '')) > value;
  if (name.endsWith('_before')) return text(name.replace(/_before$/, '')) < value;
  if (['created_on', 'updated_on', 'deleted_on'].includes(name))
    return text(name.replace(/on$/, 'at')).startsWith(value);
  if (name === 'sku_partial') return text('sku').includes(value);
  const relation = name.replace(/(\.id|_id)$/, '');
  if (resources[path]?.relations?.[relation] && relation !== name) {
    const values = value.split(',');
    return linksOf(path, record, relation, records).some(({ id }) => values.includes(id));
  }
  if (name === 'name' || name === 'contact_name')
    return text(name).toLowerCase().includes(value.toLowerCase());
  const stored = record[name];
  if (typeof stored === 'boolean') return stored === ['true', '1'].includes(value);
  return name in record ? value.split(',').includes(text(name)) : true;
}

function sortRecords(rows: StoredRecord[], sort: string): StoredRecord[] {
  if (sort === '') return rows;
  const field = sort.replace(/^-/, '');
  const sorted = rows.toSorted((a, b) => (String(a[field] ?? '') < String(b[field] ?? '') ? -1 : 1));
  return sort.startsWith('-') ? sorted.reverse() : sorted;
}

function pageSizeOf(query: URLSearchParams, { perPage, pageSize }: Facts): number {
  const requested = Number(query.get('per_page') ?? pageSize);
  if (perPage === 'ignored' || !(requested > 0)) return pageSize;
  return perPage === 'capped' ? Math.min(requested, pageSize) : requested;
}

function describePage(
  { path, query, facts: { totals, next } }: ListRequest,
  { number, size, total }: { number: number; size: number; total: number },
): object {
  if (totals === 'none') return {};
  const lastPage = Math.max(1, Math.ceil(total / size));
  const target = (page: number) => {
    const kept = next === 'complete' ? new URLSearchParams(query) : new URLSearchParams();
    kept.set('page', String(page));
    return `http://127.0.0.1/${path}?${kept}`;
  };
  const links = {
    first: target(1),
    prev: number > 1 ? target(number - 1) : null,
    next: number < lastPage ? target(number + 1) : null,
  };
  const meta = { current_page: number, path: `http://127.0.0.1/${path}`, per_page: size };
  if (totals === 'next') return { links: { ...links, last: null }, meta };
  return { links: { ...links, last: target(lastPage) }, meta: { ...meta, last_page: lastPage, total } };
}
