/** Performs read operations: a page of a list, and single records. */

import type { StoredRow } from '../../base/storage/database.ts';
import type { Variant } from '../business/settings.ts';
import type { OperationCall } from '../context.ts';
import { badRequest, jsonResponse, notFound, type ServiceResponse } from '../http/message.ts';
import { type ListQuery, parseListQuery } from '../lists/query.ts';
import { type RowPage, searchPage } from '../lists/search.ts';
import { apiRecordOf, apiRecordsOf, type Include, parseInclude } from '../records/records.ts';
import { findRow } from '../store/rows.ts';

export function list(call: OperationCall): ServiceResponse {
  const { database, tables, table, grant, variant, operation } = call;
  const query = parseListQuery(call, operation.resource, call.query);
  const { cursor } = operation.resource;
  if (cursor && query.page > cursor.maxPages) {
    throw badRequest(
      `The list ends after ${cursor.maxPages} pages. Continue with filter[${cursor.filter}] and sort=${cursor.field}.`,
    );
  }
  const page = searchPage(database, table, query, variant);
  const records = apiRecordsOf(
    { database, tables, grant, variant, include: query.include, isList: true },
    table,
    page.rows,
  );
  return jsonResponse(200, pageEnvelope(records, page, query, call));
}

/** Returns the relations that a request for one record includes. A strict sandbox refuses other query parameters. */
export function includeOf(call: OperationCall): Include {
  const { operation, query, variant } = call;
  const bodyFields = operation.method === 'GET' ? operation.body.map(({ name }) => name) : [];
  const unknownName = [...query.keys()].find((name) => name !== 'include' && !bodyFields.includes(name));
  if (unknownName !== undefined && variant['wire.requests'] === 'strict')
    throw badRequest(`Unknown query parameter ${unknownName}.`);
  return parseInclude(call, operation.resource, query.get('include'));
}

/** Returns the response to a request for one record. */
export function get(call: OperationCall): ServiceResponse {
  return recordResponse(call, rowInPath(call));
}

/** Returns a response with one record. Every operation supports `include`. */
export function recordResponse(call: OperationCall, row: StoredRow, status = 200): ServiceResponse {
  const { database, tables, grant, variant, table } = call;
  const include = includeOf(call);
  const record = apiRecordOf({ database, tables, grant, variant, include }, table, row);
  return jsonResponse(status, recordEnvelope(record, variant));
}

export function rowInPath({ database, table, ids }: OperationCall): StoredRow {
  const row = findRow(database, table, ids[0] ?? '');
  if (!row) throw notFound();
  return row;
}

/** Returns the row with an ID. Throws if it doesn't exist. */
export function existingRow({ database, table }: OperationCall, id: string): StoredRow {
  const row = findRow(database, table, id);
  if (!row) throw new Error(`${table.name} ${id} was not found`);
  return row;
}

/** Returns the active row with the ID in the path. Deleted records can only be read and restored. */
export function activeRowInPath(call: OperationCall): StoredRow {
  const row = rowInPath(call);
  if (isDeleted(row)) throw notFound();
  return row;
}

export function isDeleted(row: StoredRow): boolean {
  return typeof row.deleted_at === 'string';
}

/**
 * Returns the body for a page. Its links omit the request's filters, as those of deployments do, so that clients
 * don't rely on them. If the deployment doesn't return totals, `last`, `last_page` and `total` are missing.
 */
function pageEnvelope(
  data: readonly unknown[],
  page: RowPage,
  { page: pageNumber, pageSize }: Pick<ListQuery, 'page' | 'pageSize'>,
  { listUrl, variant, operation }: Pick<OperationCall, 'listUrl' | 'variant' | 'operation'>,
): unknown {
  if (variant['wire.envelope'] === 'none') return data;
  const { maxPages = Infinity } = operation.resource.cursor ?? {};
  const hasNext = page.hasNext && pageNumber < maxPages;
  const total = variant['wire.totals'] === 'shown' ? page.total : undefined;
  const link = (number: number) => `${listUrl}?${variant['wire.page_param']}=${number}`;
  const lastPage =
    total === undefined ? undefined : Math.min(maxPages, Math.max(1, Math.ceil(total / pageSize)));
  const from = (pageNumber - 1) * pageSize + 1;
  const links = {
    first: link(1),
    last: lastPage === undefined ? null : link(lastPage),
    prev: pageNumber > 1 ? link(pageNumber - 1) : null,
    next: hasNext ? link(pageNumber + 1) : null,
  };
  return {
    [variant['wire.envelope']]: data,
    links,
    meta: {
      current_page: pageNumber,
      from: data.length === 0 ? null : from,
      ...(lastPage !== undefined && { last_page: lastPage }),
      ...(variant['wire.page_links'] === 'shown' && {
        links: pageLinks(pageNumber, links, link(pageNumber)),
      }),
      path: listUrl,
      per_page: pageSize,
      to: data.length === 0 ? null : from + data.length - 1,
      ...(total !== undefined && { total }),
    },
  };
}

/** Returns links to the previous page, to the current one and to the next page, labeled as Laravel does. */
function pageLinks(
  page: number,
  { prev, next }: Record<'prev' | 'next', string | null>,
  url: string,
): object[] {
  return [
    { url: prev, label: '&laquo; Previous', active: false },
    { url, label: String(page), active: true },
    { url: next, label: 'Next &raquo;', active: false },
  ];
}

export function recordEnvelope(record: unknown, variant: Pick<Variant, 'wire.envelope'>): unknown {
  return variant['wire.envelope'] === 'data' ? { data: record } : record;
}
