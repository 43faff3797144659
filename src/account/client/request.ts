/** Builds the request of an operation from its ids and input, byte for byte as documented. */

import { isUndocumentedInclude } from '../../api/contract/include.ts';
import type { Operation } from '../../api/contract/operation.ts';
import { recordIdProblem } from '../../api/contract/record-id.ts';
import { usage } from '../../base/errors.ts';
import type { Envelope, ListPage } from './response.ts';
import type { Row } from './shape.ts';
import type { HttpRequest } from './transport.ts';

export interface Call {
  operation: Operation;
  /** One id for each of the operation's params, in their order. */
  ids?: readonly string[];
  body?: Row | undefined;
  query?: ListQuery | undefined;
  /**
   * For a list: the number of rows that will certainly be read, so that pages can be prefetched; Infinity for all. A
   * function decides by the page.
   */
  expectedRows?: number | ((page: ListPage) => number) | undefined;
  /** For a list: returns whether the caller uses a row. */
  isUsed?: ((row: Row) => boolean) | undefined;
  /** Called right before each attempt to send the request: until then, no part of it can have arrived. */
  beforeSend?: (() => void) | undefined;
  /** For a read: the maximum number of attempts if the service fails; the default is in retry.ts. */
  maxAttempts?: number | undefined;
  /** Cancels the call instead of the client's own signal, including waits, with its reason: a Failure. */
  signal?: AbortSignal | undefined;
}

/** Returns a function that returns the number of rows that will certainly be read, given a page of the list. */
export function expectedRowsOf({ expectedRows = 0 }: Call): (page: ListPage) => number {
  return typeof expectedRows === 'function' ? expectedRows : () => expectedRows;
}

/** The differences between a deployment and the API document. */
export interface Wire extends QueryStyle {
  /** How a loyalty reward is redeemed: with the documented GET and a query, or a deployment's PUT and a body. */
  redeemMethod: 'GET' | 'PUT';
  /** How records are wrapped in responses; `data` by default. */
  envelope?: Envelope | undefined;
}

/** The values that all requests of a client need. */
export interface RequestContext {
  apiPrefix: string;
  wire: Wire;
  userAgent: string;
  /** The token; undefined if there is none to send, as in a dry run. */
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
  const { optional = [], ...given } = call.query ?? {};
  const include = [
    ...(given.include ?? []),
    ...optional.filter((path) => !isUndocumentedInclude(operation.resource, path)),
  ];
  const query = call.query ? listQuery({ ...given, include }, context.wire) : '';
  const json = takesBody(operation) ? jsonText(body ?? {}) : undefined;
  return plainRequest({ method, target: path + query, body: json }, context);
}

/** Returns a request outside the contract, with the headers of every request. */
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

/** Returns the documented path with encoded ids. Throws for an id that can't be part of a URL. */
export function pathFor({ path, params }: Operation, ids: readonly string[]): string {
  return params.reduce(
    (result, { name }, index) => result.replace(`{${name}}`, () => encodeId(ids[index] ?? '')),
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

function encodeId(id: string): string {
  const problem = recordIdProblem(id);
  if (problem === undefined) return encodeURIComponent(id);
  throw usage(problem, { hint: 'To list IDs, run `list`. To find a record by name, write @NAME.' });
}

export interface ListQuery {
  /** The filters by their documented names. Values are as sent; several are a comma-separated list. */
  filters?: Readonly<Record<string, string>>;
  include?: readonly string[] | undefined;
  /**
   * Relations that the caller uses. The session includes those that the service returns only then, except those that the
   * token may not read or that the service refuses.
   */
  optional?: readonly string[] | undefined;
  /**
   * Called with those of the relations that the service doesn't return, also not in single records, and for lists with
   * deleted records with "deleted records": for callers whose result is incomplete without them.
   */
  onMissing?: ((paths: readonly string[]) => void) | undefined;
  sort?: readonly string[] | undefined;
  page?: number | undefined;
}

/** The query syntax of a deployment. */
export interface QueryStyle {
  filterStyle: 'bracket' | 'plain';
  /** The parameter for the number of rows of a page; deployments have none by default. */
  pageSizeParam?: string | undefined;
  /** The parameter for the page number; `page` by default. */
  pageParam?: string | undefined;
}

/** Returns the query of a list: `?filter[name]=Fresh%20Farms&sort=-created_at&page=2`; empty without parameters. */
export function listQuery(query: Omit<ListQuery, 'optional' | 'onMissing'>, style: QueryStyle): string {
  const pairs: [string, string][] = Object.entries(query.filters ?? {}).map(([name, value]) => [
    style.filterStyle === 'bracket' ? `filter[${encode(name)}]` : encode(name),
    value,
  ]);
  if (query.include?.length) pairs.push(['include', query.include.join(',')]);
  if (query.sort?.length) pairs.push(['sort', query.sort.join(',')]);
  if (query.page !== undefined) pairs.push([encode(style.pageParam ?? 'page'), String(query.page)]);
  if (style.pageSizeParam) pairs.push([encode(style.pageSizeParam), '100']);
  return joinQuery(pairs.map(([name, value]) => `${name}=${encode(value)}`));
}

/** Returns a query of plain pairs: `?order_id=7`. */
export function plainQuery(pairs: Iterable<readonly [string, string]>): string {
  return joinQuery([...pairs].map(([name, value]) => `${encodeName(name)}=${encode(value)}`));
}

function joinQuery(parts: string[]): string {
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

/** Percent-encodes text, except for commas, which deployments expect unchanged. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll('%2C', ',');
}

function encodeName(name: string): string {
  return encode(name).replaceAll('%5B', '[').replaceAll('%5D', ']');
}
