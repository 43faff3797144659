/** From an operation with its ids and input to the request that goes out, byte for byte as the document has it. */
import { usage } from '../base/errors.ts';
import type { Operation } from '../contract/operation.ts';
import type { Envelope, Page } from './answer.ts';
import type { Row } from './shape.ts';
import type { HttpRequest } from './transport.ts';

/** One use of an operation. */
export interface Call {
  operation: Operation;
  /** One for each of the operation's params, in their order. */
  ids?: readonly string[];
  body?: Row | undefined;
  query?: ListQuery | undefined;
  /**
   * Of a list: the number of rows that will certainly be read, so that pages may be prefetched; Infinity for all. Where
   * a page decides it, what it says.
   */
  wanted?: number | ((page: Page) => number) | undefined;
  /** Is called right before each attempt to send it: until then nothing of it can have arrived. */
  beforeSend?: (() => void) | undefined;
  /** Of a read: how often it is tried where the service has a fault; as often as retry.ts has it unless it is said. */
  attempts?: number | undefined;
  /** Ends it in place of the client's own signal, waits included, with its reason: a Failure. */
  until?: AbortSignal | undefined;
}

/** How many rows are wanted, as a page of the list shows. */
export function rowsWanted({ wanted = 0 }: Call): (page: Page) => number {
  return typeof wanted === 'function' ? wanted : () => wanted;
}

/** How a deployment differs from the document. */
export interface Wire extends QueryStyle {
  /** How a loyalty reward is redeemed: the document's GET with a query, or a deployment's PUT with a body. */
  redeemMethod: 'GET' | 'PUT';
  /** What stands around the records of an answer; `data` unless it is given. */
  envelope?: Envelope | undefined;
}

/** What every request of a client is built with. */
export interface RequestContext {
  apiPrefix: string;
  wire: Wire;
  userAgent: string;
  /** Left out where there is none to send, as in a dry run. */
  token?: { reveal(): string } | undefined;
}

/** Returns the request of a call. Throws a usage failure for an id or input that can't be sent. */
export function requestFor(call: Call, context: RequestContext): HttpRequest {
  const { operation, body } = call;
  const path = context.apiPrefix + pathFor(operation, call.ids ?? []);
  const { alternate } = operation;
  const method = alternate === context.wire.redeemMethod ? alternate : operation.method;
  if (operation.effect === 'act' && method === 'GET') {
    const pairs = Object.entries(body ?? {}).map(([name, value]) => [name, String(value)] as const);
    return plainRequest({ method, target: path + plainQuery(pairs) }, context);
  }
  const query = call.query ? listQuery(call.query, context.wire) : '';
  const text = takesBody(operation) ? jsonText(body ?? {}) : undefined;
  return plainRequest({ method, target: path + query, body: text }, context);
}

/** Returns any request with the headers that every request carries. */
export function plainRequest(
  { method, target, body }: { method: string; target: string; body?: string | undefined },
  { token, userAgent }: Pick<RequestContext, 'token' | 'userAgent'>,
): HttpRequest {
  const headers = {
    accept: 'application/json',
    'user-agent': userAgent,
    ...(token && { authorization: `Bearer ${token.reveal()}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  return { method, target, headers, body };
}

/** The document's path with the ids in their places, encoded. Throws where an id can't stand in an address. */
export function pathFor({ path, params }: Operation, ids: readonly string[]): string {
  return params.reduce(
    (text, { name }, index) => text.replace(`{${name}}`, () => idPart(ids[index] ?? '')),
    path,
  );
}

function jsonText(body: Row): string {
  try {
    return JSON.stringify(body);
  } catch (cause) {
    throw usage('The input is nested too deeply to be sent.', { cause });
  }
}

function takesBody({ effect, body }: Operation): boolean {
  return effect === 'act' || body.length > 0;
}

const maxIdLength = 1024;

function idPart(id: string): string {
  const hint = 'To list IDs, run `list`. To find a record by name, write @NAME.';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (/[\u0000-\u001f\u007f]/.test(id)) throw usage('An id contains a control character.', { hint });
  if (id.length > maxIdLength) throw usage(`An id is longer than ${maxIdLength} characters.`, { hint });
  try {
    return pathPart(id);
  } catch (cause) {
    throw usage(id === '' ? 'An id is empty.' : `"${id}" can't be an id.`, { hint, cause });
  }
}

/** The query of a list. */
export interface ListQuery {
  /** By the document's names; values as they go out, several as a comma list. */
  filters?: Readonly<Record<string, string>>;
  include?: readonly string[] | undefined;
  /** More relations, which can be left out where the token may not see them; a session sees to that. */
  optional?: readonly string[] | undefined;
  sort?: readonly string[] | undefined;
  page?: number | undefined;
}

/** How a deployment writes queries. */
export interface QueryStyle {
  filterStyle: 'bracket' | 'plain';
  /** The parameter that asks for a number of rows a page; deployments have none by default. */
  pageSizeParam?: string | undefined;
  /** The parameter that asks for a page by its number; `page` unless it is given. */
  pageParam?: string | undefined;
}

/** `?filter[name]=Fresh%20Farms&sort=-created_at&page=2`, or nothing where nothing is asked. */
export function listQuery(query: ListQuery, style: QueryStyle): string {
  const pairs: [string, string][] = Object.entries(query.filters ?? {}).map(([name, value]) => [
    style.filterStyle === 'bracket' ? `filter[${encode(name)}]` : encode(name),
    value,
  ]);
  const include = [...(query.include ?? []), ...(query.optional ?? [])];
  if (include.length > 0) pairs.push(['include', include.join(',')]);
  if (query.sort?.length) pairs.push(['sort', query.sort.join(',')]);
  if (query.page !== undefined) pairs.push([encode(style.pageParam ?? 'page'), String(query.page)]);
  if (style.pageSizeParam) pairs.push([encode(style.pageSizeParam), '100']);
  return joinQuery(pairs.map(([name, value]) => `${name}=${encode(value)}`));
}

/** Plain pairs, as they are given: `?order_id=7`. */
export function plainQuery(pairs: Iterable<readonly [string, string]>): string {
  return joinQuery([...pairs].map(([name, value]) => `${encodeName(name)}=${encode(value)}`));
}

/** One part of a path: a slash, a dot-dot or a question mark in an id can't lead anywhere else. */
export function pathPart(id: string): string {
  // Dots alone would be taken for "this folder" or "the one above" even when encoded.
  if (id === '' || id === '.' || id === '..') throw new RangeError(`"${id}" can't be part of an address`);
  return encodeURIComponent(id);
}

function joinQuery(parts: string[]): string {
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

/** Percent-encoded, but for commas, which deployments want as they are. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll('%2C', ',');
}

function encodeName(text: string): string {
  return encode(text).replaceAll('%5B', '[').replaceAll('%5D', ']');
}
