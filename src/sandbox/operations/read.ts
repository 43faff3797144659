/** Performs read operations: a page of a list, and single records. */
import type { OperationCall } from '../context.ts';
import { badRequest, notFound } from '../http/http-error.ts';
import { jsonResponse, type ServiceResponse } from '../http/message.ts';
import { pageEnvelope, recordEnvelope } from '../lists/envelope.ts';
import { parseListQuery } from '../lists/query.ts';
import { searchPage } from '../lists/search.ts';
import { type Include, parseInclude } from '../records/include.ts';
import { apiRecordOf, apiRecordsOf } from '../records/records.ts';
import type { StoredRow } from '../store/cells.ts';
import { findRow } from '../store/rows.ts';

/** Returns the response to a list request. */
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
