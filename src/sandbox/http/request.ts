/** Splits the target of a request into its path segments and query parameters, and decodes them. */

import type { Operation } from '../../api/contract/operation.ts';
import { badRequest, HttpError, notFound, type ServiceRequest, tooLarge, unsupported } from './message.ts';

export interface RequestTarget {
  /** `/customers/7` is `['customers', '7']`. */
  segments: readonly string[];
  /** The parameters by name, in the order in which they were sent. */
  query: ReadonlyMap<string, string>;
}

const maxTargetCharacters = 16_384;
const maxParameters = 100;

/**
 * Parses a target. Refuses targets that can't be decoded, are too long, or repeat a parameter. A path without the prefix
 * is refused with 404.
 */
export function parseTarget(target: string, prefix: string): RequestTarget {
  if (target.length > maxTargetCharacters) throw new HttpError(414, 'The URL is too long.');
  const [path = '', ...queryParts] = target.split('?');
  if (path !== prefix && !path.startsWith(`${prefix}/`)) throw notFound();
  const segments = path.slice(prefix.length + 1).split('/');
  return { segments: segments.map(decode), query: parseQuery(queryParts.join('?')) };
}

function parseQuery(text: string): Map<string, string> {
  const pairs = text.split('&').filter((pair) => pair !== '');
  if (pairs.length > maxParameters) {
    throw badRequest(`The query has ${pairs.length} parameters; at most ${maxParameters} are allowed.`);
  }
  const query = new Map<string, string>();
  for (const pair of pairs) {
    const [name = '', ...valueParts] = pair.split('=');
    const [key, value] = [decodeQuery(name), decodeQuery(valueParts.join('='))];
    if (query.has(key)) throw badRequest(`The query has the parameter ${key} more than once.`);
    if (value.includes('\0')) throw badRequest(`The query parameter ${key} contains a NUL character.`);
    query.set(key, value);
  }
  return query;
}

/** Decodes a part of a query, in which a plus is a space. */
function decodeQuery(text: string): string {
  return decode(text.replaceAll('+', ' '));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw badRequest("The URL has a percent sign that isn't part of a valid escape sequence.");
  }
}

const maxBodyBytes = 1_048_576;
const maxDepth = 32;

/** Returns the fields of a request: from its body, or from the query of a GET that performs an action. */
export function requestFields(
  { method, headers, body }: ServiceRequest,
  operation: Operation,
  { query }: RequestTarget,
): Readonly<Record<string, unknown>> {
  const names = operation.body.map(({ name }) => name);
  if (method === 'GET') return Object.fromEntries([...query].filter(([name]) => names.includes(name)));
  if (names.length === 0) return {};
  refuseEncoded(headers);
  if (body.length > 0) requireJson(headers);
  return parseJsonBody(body);
}

/** Refuses other content types, in which the service wouldn't find any fields. */
function requireJson({ 'content-type': type = 'application/json' }: ServiceRequest['headers']): void {
  if (/^application\/json *(;|$)/i.test(type)) return;
  throw unsupported(`The body has the content-type ${type}: expected application/json.`);
}

/** Refuses compressed bodies, because they can become too large when they are decompressed. */
export function refuseEncoded({
  'content-encoding': encoding = 'identity',
}: ServiceRequest['headers']): void {
  if (encoding.trim().toLowerCase() === 'identity') return;
  throw unsupported(`The body has the content-encoding ${encoding}: send it without encoding.`);
}

/** Parses a body. An empty body is an object without fields. Throws an `HttpError` for an invalid body. */
export function parseJsonBody(body: Uint8Array | string): Readonly<Record<string, unknown>> {
  const bytes = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
  if (bytes > maxBodyBytes) throw tooLarge(`The body is longer than ${maxBodyBytes} bytes.`);
  const text = typeof body === 'string' ? body : decodeUtf8(body);
  if (text.trim() === '') return {};
  checkStructure(text);
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badRequest('The body must be a JSON object.');
  }
  return value as Record<string, unknown>;
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw badRequest('The body is not valid UTF-8.');
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest('The body is not valid JSON.');
  }
}

/**
 * Matches strings and brackets. An unterminated string extends to the end of the text, so that matching takes linear
 * time.
 */
const tokens = /"(?:[^"\\]+|\\.?)*(?:"|$)|[{}[\]:,]/gs;

/**
 * Refuses deep nesting and duplicate keys: JSON.parse would silently use the last value. The parser reports other errors.
 */
function checkStructure(text: string): void {
  const levels: (Set<string> | undefined)[] = [];
  let lastString: string | undefined;
  for (const [token] of text.matchAll(tokens)) {
    if (token === '{' || token === '[') {
      levels.push(token === '{' ? new Set() : undefined);
      if (levels.length > maxDepth) throw badRequest(`The body is nested deeper than ${maxDepth} levels.`);
    } else if (token === '}' || token === ']') {
      levels.pop();
    } else if (token === ':' && lastString !== undefined) {
      const key = String(parseJson(lastString));
      if (levels.at(-1)?.has(key)) throw badRequest(`The body has the key ${key} more than once.`);
      levels.at(-1)?.add(key);
    }
    lastString = token.startsWith('"') ? token : undefined;
  }
}
