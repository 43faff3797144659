/** Parses the body of a request as a JSON object. Refuses invalid UTF-8 or JSON, duplicate keys, and too large bodies. */
import type { Operation } from '../../contract/operation.ts';
import { badRequest, tooLarge, unsupported } from './http-error.ts';
import type { ServiceRequest } from './message.ts';
import type { RequestTarget } from './target.ts';

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
