/**
 * Reads the body of a request as an object: valid UTF-8 and JSON, no duplicate key, not too large and not too deep.
 */
import type { Operation } from '../../contract/operation.ts';
import type { ServiceRequest } from './message.ts';
import { badRequest, tooLarge, unsupported } from './refusal.ts';
import type { RequestTarget } from './target.ts';

const maxBodyBytes = 1_048_576;
const maxDepth = 32;

/** Returns the fields that a request sends: in its body, or in the query of a GET that performs an action. */
export function fieldsSent(
  { method, headers, body }: ServiceRequest,
  operation: Operation,
  { query }: RequestTarget,
): Readonly<Record<string, unknown>> {
  const names = operation.body.map(({ name }) => name);
  if (method === 'GET') return Object.fromEntries([...query].filter(([name]) => names.includes(name)));
  if (names.length === 0) return {};
  refuseEncoded(headers);
  if (body.length > 0) requireJson(headers);
  return readJsonBody(body);
}

/** A service that chooses a parser by the content type would find no fields in another type. */
function requireJson({ 'content-type': type = 'application/json' }: ServiceRequest['headers']): void {
  if (/^application\/json *(;|$)/i.test(type)) return;
  throw unsupported(`The body has the content-type ${type}: it must be application/json.`);
}

/** Compressed bodies aren't accepted: their decompressed size isn't known in advance. */
export function refuseEncoded({
  'content-encoding': encoding = 'identity',
}: ServiceRequest['headers']): void {
  if (encoding.trim().toLowerCase() === 'identity') return;
  throw unsupported(`The body has the content-encoding ${encoding}: send it as it is.`);
}

/** Reads a body. An empty one is an object without fields. */
export function readJsonBody(body: Uint8Array | string): Readonly<Record<string, unknown>> {
  const size = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
  if (size > maxBodyBytes) throw tooLarge(`The body is longer than ${maxBodyBytes} bytes.`);
  const text = typeof body === 'string' ? body : decode(body);
  if (text.trim() === '') return {};
  checkStructure(text);
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badRequest('The body must be a JSON object.');
  }
  return value as Record<string, unknown>;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw badRequest('The body is not valid UTF-8.');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest('The body is not valid JSON.');
  }
}

/**
 * Strings and brackets. An unterminated string extends to the end of the text, so that the search never starts over.
 */
const tokens = /"(?:[^"\\]+|\\.?)*(?:"|$)|[{}[\]:,]/gs;

/**
 * JSON.parse silently takes the last of two equal keys. This checks brackets and strings only; the parser reports
 * other errors.
 */
function checkStructure(text: string): void {
  const levels: (Set<string> | undefined)[] = [];
  let candidate: string | undefined;
  for (const [token] of text.matchAll(tokens)) {
    if (token === '{' || token === '[') {
      levels.push(token === '{' ? new Set() : undefined);
      if (levels.length > maxDepth) throw badRequest(`The body is nested deeper than ${maxDepth} levels.`);
    } else if (token === '}' || token === ']') {
      levels.pop();
    } else if (token === ':' && candidate !== undefined) {
      const key = String(parse(candidate));
      if (levels.at(-1)?.has(key)) throw badRequest(`The body has the key ${key} more than once.`);
      levels.at(-1)?.add(key);
    }
    candidate = token.startsWith('"') ? token : undefined;
  }
}
