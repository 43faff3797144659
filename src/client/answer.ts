/** Reads the data of successful answers; any other answer becomes a failure. */

import { Failure } from '../base/errors.ts';
import { boh, type Hint } from '../base/hint.ts';
import { type RequestInfo, refusal } from './refusal.ts';
import { isRow, isWebPage, parseJson, type Row } from './shape.ts';
import type { HttpAnswer } from './transport.ts';

export { isRow, type Row } from './shape.ts';

/**
 * How records are wrapped in answers. `data`: as documented. `items`: lists in `items`, a record as it is or in
 * `item`. `none`: not at all.
 */
export type Envelope = 'data' | 'items' | 'none';

/** What an answer says about the rest of its list. */
export interface ListMetadata {
  lastPage: number | undefined;
  perPage: number | undefined;
  total: number | undefined;
  /** False if the service says that there is no next page; undefined if it says nothing. */
  hasNext: boolean | undefined;
}

/** Returns the record of an answer; undefined if it contains none. */
export function recordIn(body: unknown, envelope: Envelope): Row | undefined {
  if (!isRow(body)) return undefined;
  if (envelope === 'data') return isRow(body.data) ? body.data : undefined;
  const within = envelope === 'items' ? (body.item ?? body) : body;
  return isRow(within) ? within : undefined;
}

/** Returns the records of a list; undefined if the body isn't a list. */
export function rowsIn(body: unknown, envelope: Envelope): Row[] | undefined {
  const list = envelope === 'none' ? body : isRow(body) ? body[envelope] : undefined;
  return Array.isArray(list) && list.every(isRow) ? list : undefined;
}

/**
 * Returns what an answer says about the rest of its list. Only the records are documented, so all of it may be
 * missing.
 */
export function metadataIn(body: unknown, headers: HttpAnswer['headers'], envelope: Envelope): ListMetadata {
  const whole = isRow(body) ? body : {};
  const meta = isRow(whole.meta) ? whole.meta : {};
  const links = isRow(whole.links) ? whole.links : {};
  if (envelope === 'data') return metadataFrom(meta, 'next' in links ? links.next !== null : undefined);
  const { next } = { ...links, ...whole } as Row;
  const link = headers.link === undefined ? undefined : /;\s*rel="?next"?/i.test(headers.link);
  const inBody = next === undefined ? undefined : next !== null;
  const inHeaders = {
    total: headers['x-total-count'],
    last_page: headers['x-total-pages'],
    per_page: headers['x-per-page'],
  };
  return metadataFrom({ ...inHeaders, ...whole, ...meta }, inBody ?? link);
}

/** Reads the members by the names of known deployments, and by names that are common elsewhere. */
function metadataFrom(meta: Row, hasNext: boolean | undefined): ListMetadata {
  return {
    lastPage: countIn(meta.last_page ?? meta.total_pages),
    perPage: countIn(meta.per_page ?? meta.page_size),
    total: countIn(meta.total ?? meta.total_count),
    hasNext,
  };
}

/** Returns a whole number of at least 0, which some services write as text. */
function countIn(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

/** The status of a request that was accepted, and may be processed later or never. */
export const accepted = 202;

/** Throws unless the status is a success. */
export function throwUnlessOk(answer: HttpAnswer, request: RequestInfo): void {
  if (answer.status < 200 || answer.status >= 300) throw refusal(answer, request);
}

/** Returns the JSON of a success. Throws a Failure for any other status and for bodies that aren't JSON. */
export function jsonOf(answer: HttpAnswer, request: RequestInfo): unknown {
  throwUnlessOk(answer, request);
  if (answer.isText === false) throw unexpected(answer, request, 'text that is not UTF-8');
  let parsed: ReturnType<typeof parseJson>;
  try {
    parsed = parseJson(answer.body);
  } catch (cause) {
    throw unexpected(answer, request, `${shapeOf(answer.body)} instead of JSON`, cause);
  }
  if (!parsed) throw unexpected(answer, request, 'JSON that is nested too deeply');
  return parsed.value;
}

/** A record, and the body that contained it. */
export interface Answered {
  record: Row;
  body: string;
}

/** Returns the record of a success. Throws if it contains none. */
export function recordOf(answer: HttpAnswer, request: RequestInfo, envelope: Envelope = 'data'): Row {
  const record = recordIn(jsonOf(answer, request), envelope);
  if (record) return record;
  throw unexpected(answer, request, 'JSON that contains no record', undefined, mistakenEnvelope(answer));
}

/**
 * Returns the record of a success that may have none, such as of a raw request; undefined if it has none or was only
 * accepted. Throws for bodies that aren't JSON.
 */
export function recordWithin(
  answer: HttpAnswer,
  request: RequestInfo,
  envelope: Envelope = 'data',
): Answered | undefined {
  if (answer.body.trim() === '') return undefined;
  const record = recordIn(jsonOf(answer, request), envelope);
  return record && answer.status !== accepted ? { record, body: answer.body } : undefined;
}

/** Returns whether a success contains its record: some services answer a write with nothing, or with text. */
export function containsRecord(
  answer: HttpAnswer,
  request: RequestInfo,
  envelope: Envelope = 'data',
): boolean {
  throwUnlessOk(answer, request);
  if (answer.body.trim() === '') return false;
  if (answer.headers.location === undefined) return true;
  try {
    return recordIn(jsonOf(answer, request), envelope) !== undefined;
  } catch {
    return false;
  }
}

/** Throws unless a delete or restore succeeded. Its body isn't read, except to detect the web page of a proxy. */
export function throwUnlessDone(answer: HttpAnswer, request: RequestInfo): void {
  throwUnlessOk(answer, request);
  if (isWebPage(answer.body)) throw unexpected(answer, request, 'a web page');
}

/** One page of a list. */
export interface Page extends Partial<ListMetadata> {
  /** The number of the page, from 1. */
  number: number;
  rows: Row[];
  /** The body as received, for `--raw`. */
  body: string;
  /** When the service answered, by its own clock, as HTTP writes it. Not every service sends it. */
  date?: string | undefined;
}

/** Returns the records of a list, and what the envelope says about the rest. */
export function pageOf(
  answer: HttpAnswer,
  request: RequestInfo,
  number = 1,
  envelope: Envelope = 'data',
): Page {
  const body = jsonOf(answer, request);
  const rows = rowsIn(body, envelope);
  if (!rows) {
    throw unexpected(
      answer,
      request,
      'JSON that contains no list of records',
      undefined,
      mistakenEnvelope(answer),
    );
  }
  const { body: text, headers } = answer;
  return { number, rows, body: text, date: headers.date, ...metadataIn(body, headers, envelope) };
}

/** Returns a note if the body is JSON with another envelope than the setting names. */
function mistakenEnvelope({ body }: HttpAnswer): Hint | undefined {
  const looksLikeOne = /^\s*(\[|\{\s*"(items|id)")/.test(body);
  return looksLikeOne
    ? [
        'The service may use another key for records: ',
        boh.account('config set', 'wire.envelope', 'items'),
        ', or none.',
      ]
    : undefined;
}

/** Returns the failure of an answer that the contract doesn't allow. `what` completes "The service returned". */
export function unexpected(
  answer: HttpAnswer,
  request: RequestInfo,
  what: string,
  cause?: unknown,
  hint: Hint = [
    'It may come from a proxy or a maintenance page. Check the address: ',
    boh.account('config get', 'base_url'),
  ],
): Failure {
  return new Failure('unavailable', `The service returned ${what} (status ${answer.status}).`, {
    status: answer.status,
    request: { method: request.method, path: request.path },
    hint,
    cause,
  });
}

/** Returns what a body that isn't JSON looks like, in words. */
export function shapeOf(body: string): string {
  if (body.trim() === '') return 'an empty body';
  if (isWebPage(body)) return 'a web page';
  return /^\s*[[{]/.test(body) ? 'a damaged or incomplete body' : 'text';
}

type Claim = 'more' | 'more records' | 'end' | 'unknown';

/**
 * Returns what the service says about further pages. Any sign of another page counts: `last_page` or `next` may be
 * wrong.
 */
export function claimOf({ number, lastPage, hasNext, total }: Page, count: number): Claim {
  if (hasNext === true || (lastPage !== undefined && number < lastPage)) return 'more';
  if (total !== undefined && count < total) return 'more records';
  return total === undefined && lastPage === undefined && hasNext === undefined ? 'unknown' : 'end';
}

/** Returns whether no new records are expected although the page isn't empty: some services repeat the last page. */
export function isPastEnd(page: Page, count: number): boolean {
  const { number, lastPage, total } = page;
  return (
    claimOf(page, count) === 'end' ||
    (lastPage ?? number) < number ||
    ((total ?? 0) > 0 && count >= (total ?? 0))
  );
}

/** Returns the failure of a list that could only be read in part. */
export function unreadable(message: string, request: RequestInfo | undefined): Failure {
  return new Failure('unavailable', `${message}. The list is incomplete.`, {
    ...(request && { request: { method: request.method, path: request.path } }),
    hint: 'Run the command again: the list may have changed while it was read. To read a single page: --page N',
  });
}
