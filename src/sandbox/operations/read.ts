/** Reading: a page of a list, and single records, whatever was done to them. */
import type { Call } from '../call.ts';
import { jsonAnswer, type ServiceResponse } from '../http/message.ts';
import { badRequest, notFound } from '../http/refusal.ts';
import { envelope, recordEnvelope } from '../lists/envelope.ts';
import { readListQuery } from '../lists/query.ts';
import { searchPage } from '../lists/search.ts';
import { type Include, readInclude } from '../records/include.ts';
import { recordOf, recordsOf } from '../records/records.ts';
import type { StoredRow } from '../store/cells.ts';
import { findRow } from '../store/rows.ts';

export function list(call: Call): ServiceResponse {
  const { database, tables, table, grant, variant, operation } = call;
  const query = readListQuery(call, operation.resource, call.query);
  const page = searchPage(database, table, query, variant);
  const records = recordsOf({ database, tables, grant, variant, include: query.include }, table, page.rows);
  return jsonAnswer(200, envelope(records, page, query.page, call));
}

/** What the query of a request for one record includes; it can hold nothing else. */
export function includedIn({ tables, grant, operation, query }: Call): Include {
  const sent = operation.method === 'GET' ? operation.body.map(({ name }) => name) : [];
  const unknown = [...query.keys()].find((name) => name !== 'include' && !sent.includes(name));
  if (unknown !== undefined) throw badRequest(`The query's ${unknown} is not known here.`);
  return readInclude(tables, grant, operation.resource, query.get('include'));
}

export function get(call: Call): ServiceResponse {
  return answerRecord(call, named(call));
}

/** A success with one record, which `include` may widen whatever the operation. */
export function answerRecord(call: Call, row: StoredRow, status = 200): ServiceResponse {
  const { database, tables, grant, variant, table } = call;
  const include = includedIn(call);
  const record = recordOf({ database, tables, grant, variant, include }, table, row);
  return jsonAnswer(status, recordEnvelope(record, variant));
}

/** Active or deleted. */
export function named({ database, table, ids }: Call): StoredRow {
  const row = findRow(database, table, ids[0] ?? '');
  if (!row) throw notFound();
  return row;
}

/** By its id, where it is known to be there. */
export function rowOf({ database, table }: Call, id: string): StoredRow {
  const row = findRow(database, table, id);
  if (!row) throw new Error(`${table.name} ${id} is gone`);
  return row;
}

/** A deleted record can be read and restored, nothing else. */
export function activeNamed(call: Call): StoredRow {
  const row = named(call);
  if (isDeleted(row)) throw notFound();
  return row;
}

export function isDeleted(row: StoredRow): boolean {
  return typeof row.deleted_at === 'string';
}
