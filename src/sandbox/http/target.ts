/** Splits the target of a request into its path segments and query parameters, and decodes them. */
import { badRequest, HttpError, notFound } from './http-error.ts';

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
