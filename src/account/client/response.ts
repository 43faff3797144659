/** Reads the data of successful responses. Other responses become failures. */

import { Failure } from '../../base/errors.ts';
import { boh, type Hint } from '../../base/hint.ts';
import { type RequestInfo, refusal } from './refusal.ts';
import { isRow, isWebPage, parseJson, type Row } from './shape.ts';
import type { HttpResponse } from './transport.ts';

export { isRow, type Row } from './shape.ts';

/**
 * How responses wrap records. `data`: as documented. `items`: lists are in `items`, and a record is in `item` or not
 * wrapped. `none`: neither is wrapped.
 */
export type Envelope = 'data' | 'items' | 'none';

export interface ListMetadata {
  lastPage: number | undefined;
  perPage: number | undefined;
  total: number | undefined;
  /** Whether the service reports a next page; undefined if it doesn't say. */
  hasNext: boolean | undefined;
}

/** Returns the record of a response; undefined if it contains none. */
export function recordIn(body: unknown, envelope: Envelope): Row | undefined {
  if (!isRow(body)) return undefined;
  if (envelope === 'data') return isRow(body.data) ? body.data : undefined;
  const content = envelope === 'items' ? (body.item ?? body) : body;
  return isRow(content) ? content : undefined;
}

/** Returns the records of a list; undefined if the body isn't a list. */
export function rowsIn(body: unknown, envelope: Envelope): Row[] | undefined {
  const list = envelope === 'none' ? body : isRow(body) ? body[envelope] : undefined;
  return Array.isArray(list) && list.every(isRow) ? list : undefined;
}

/**
 * Returns the metadata of a list. The API document describes only the records, so all metadata may be missing.
 */
export function metadataIn(
  body: unknown,
  headers: HttpResponse['headers'],
  envelope: Envelope,
): ListMetadata {
  const bodyRow = isRow(body) ? body : {};
  const meta = isRow(bodyRow.meta) ? bodyRow.meta : {};
  const links = isRow(bodyRow.links) ? bodyRow.links : {};
  if (envelope === 'data') return metadataFrom(meta, 'next' in links ? links.next !== null : undefined);
  const { next } = { ...links, ...bodyRow } as Row;
  const hasNextLink = headers.link === undefined ? undefined : /;\s*rel="?next"?/i.test(headers.link);
  const hasNextInBody = next === undefined ? undefined : next !== null;
  const headerValues = {
    total: headers['x-total-count'],
    last_page: headers['x-total-pages'],
    per_page: headers['x-per-page'],
  };
  return metadataFrom({ ...headerValues, ...bodyRow, ...meta }, hasNextInBody ?? hasNextLink);
}

/** Reads the metadata by the names of known deployments and by other common names. */
function metadataFrom(meta: Row, hasNext: boolean | undefined): ListMetadata {
  return {
    lastPage: parseCount(meta.last_page ?? meta.total_pages),
    perPage: parseCount(meta.per_page ?? meta.page_size),
    total: parseCount(meta.total ?? meta.total_count),
    hasNext,
  };
}

/** Returns a whole number of at least 0; undefined for other values. Some services send numbers as text. */
function parseCount(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

/** The status 202: the request was accepted, and may be processed later or never. */
export const acceptedStatus = 202;

/** Throws a Failure unless the status is 200 to 299. */
export function throwUnlessOk(response: HttpResponse, request: RequestInfo): void {
  if (response.status < 200 || response.status >= 300) throw refusal(response, request);
}

/** Returns the parsed JSON of a success. Throws a Failure for any other status and for bodies that aren't JSON. */
export function jsonOf(response: HttpResponse, request: RequestInfo): unknown {
  throwUnlessOk(response, request);
  if (response.isValidUtf8 === false) throw unexpectedResponse(response, request, 'text that is not UTF-8');
  let parsed: ReturnType<typeof parseJson>;
  try {
    parsed = parseJson(response.body);
  } catch (cause) {
    throw unexpectedResponse(response, request, `${describeBody(response.body)} instead of JSON`, cause);
  }
  if (!parsed) throw unexpectedResponse(response, request, 'JSON that is nested too deeply');
  return parsed.value;
}

/** A record and the body that contained it. */
export interface RecordResponse {
  record: Row;
  body: string;
}

/** Returns the record of a success. Throws if it contains none. */
export function recordOf(response: HttpResponse, request: RequestInfo, envelope: Envelope = 'data'): Row {
  const record = recordIn(jsonOf(response, request), envelope);
  if (record) return record;
  throw unexpectedResponse(
    response,
    request,
    'JSON that contains no record',
    undefined,
    envelopeHint(response),
  );
}

/**
 * Returns the record of a successful raw request; undefined if the response has no record or its status is 202. Throws for
 * bodies that aren't JSON.
 */
export function rawRecordOf(
  response: HttpResponse,
  request: RequestInfo,
  envelope: Envelope = 'data',
): RecordResponse | undefined {
  if (response.body.trim() === '') return undefined;
  const record = recordIn(jsonOf(response, request), envelope);
  return record && response.status !== acceptedStatus ? { record, body: response.body } : undefined;
}

/** Returns whether a successful response contains its record. Some services return an empty body or text for a write. */
export function containsRecord(
  response: HttpResponse,
  request: RequestInfo,
  envelope: Envelope = 'data',
): boolean {
  throwUnlessOk(response, request);
  if (response.body.trim() === '') return false;
  if (response.headers.location === undefined) return true;
  try {
    return recordIn(jsonOf(response, request), envelope) !== undefined;
  } catch {
    return false;
  }
}

/** Throws unless a delete or restore succeeded. Its body isn't read, except to detect the web page of a proxy. */
export function throwUnlessSucceeded(response: HttpResponse, request: RequestInfo): void {
  throwUnlessOk(response, request);
  if (isWebPage(response.body)) throw unexpectedResponse(response, request, 'a web page');
}

export interface ListPage extends Partial<ListMetadata> {
  /** The number of the page, from 1. */
  number: number;
  rows: Row[];
  /** The body as received, for `--raw`. */
  body: string;
  /** The Date header: the time of the response by the clock of the service. Not all services send it. */
  date?: string | undefined;
}

export function pageOf(
  response: HttpResponse,
  request: RequestInfo,
  number = 1,
  envelope: Envelope = 'data',
): ListPage {
  const body = jsonOf(response, request);
  const rows = rowsIn(body, envelope);
  if (!rows) {
    throw unexpectedResponse(
      response,
      request,
      'JSON that contains no list of records',
      undefined,
      envelopeHint(response),
    );
  }
  const { body: text, headers } = response;
  return { number, rows, body: text, date: headers.date, ...metadataIn(body, headers, envelope) };
}

/** Returns a hint if the body is JSON with another envelope than the setting. */
function envelopeHint({ body }: HttpResponse): Hint | undefined {
  const hasOtherEnvelope = /^\s*(\[|\{\s*"(items|id)")/.test(body);
  return hasOtherEnvelope
    ? [
        'The service may use another key for records: ',
        boh.account('config set', 'wire.envelope', 'items'),
        ', or none.',
      ]
    : undefined;
}

/** Returns the failure of a response that the contract doesn't allow. `description` completes "The service returned". */
export function unexpectedResponse(
  response: HttpResponse,
  request: RequestInfo,
  description: string,
  cause?: unknown,
  hint: Hint = [
    'It may come from a proxy or a maintenance page. Check the URL: ',
    boh.account('config get', 'base_url'),
  ],
): Failure {
  return new Failure('unavailable', `The service returned ${description} (status ${response.status}).`, {
    status: response.status,
    request: { method: request.method, path: request.path },
    hint,
    cause,
  });
}

/** Describes a body that isn't JSON: `a web page`, `an empty body`. */
function describeBody(body: string): string {
  if (body.trim() === '') return 'an empty body';
  if (isWebPage(body)) return 'a web page';
  return /^\s*[[{]/.test(body) ? 'a damaged or incomplete body' : 'text';
}

type Claim = 'more' | 'more records' | 'end' | 'unknown';

/**
 * Returns what the metadata says about further pages. One indication of another page is enough, because `last_page` or
 * `next` may be wrong.
 */
export function claimOf({ number, lastPage, hasNext, total }: ListPage, count: number): Claim {
  if (hasNext === true || (lastPage !== undefined && number < lastPage)) return 'more';
  if (total !== undefined && count < total) return 'more records';
  return total === undefined && lastPage === undefined && hasNext === undefined ? 'unknown' : 'end';
}

/** Returns whether the page is past the end of the list. It may have records, because some services repeat the last page. */
export function isPastEnd(page: ListPage, count: number): boolean {
  const { number, lastPage, total } = page;
  return (
    claimOf(page, count) === 'end' ||
    (lastPage ?? number) < number ||
    ((total ?? 0) > 0 && count >= (total ?? 0))
  );
}

/** Returns the failure of a list that couldn't be read completely. */
export function unreadableList(message: string, request: RequestInfo | undefined): Failure {
  return new Failure('unavailable', `${message}. The list is incomplete.`, {
    ...(request && { request: { method: request.method, path: request.path } }),
    hint: 'Run the command again: the list may have changed while it was read. To read a single page: --page N',
  });
}
