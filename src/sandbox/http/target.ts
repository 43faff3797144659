/** Splits the target of a request into the parts of its path and the pairs of its query, decoded. */
import { badRequest, notFound, Refusal } from './refusal.ts';

/** A decoded target. */
export interface RequestTarget {
  /** `/customers/7` is `['customers', '7']`. */
  segments: readonly string[];
  /** Each name once, in the order sent. */
  query: ReadonlyMap<string, string>;
}

const maxTargetLength = 16_384;
const maxParameters = 100;

/**
 * Reads a target. Refuses one that can't be decoded, is too long, or has a parameter twice. A path outside the prefix
 * isn't found.
 */
export function readTarget(target: string, prefix: string): RequestTarget {
  if (target.length > maxTargetLength) throw new Refusal(414, 'The URL is too long.');
  const [path = '', ...rest] = target.split('?');
  if (path !== prefix && !path.startsWith(`${prefix}/`)) throw notFound();
  const segments = path.slice(prefix.length + 1).split('/');
  return { segments: segments.map(decode), query: readQuery(rest.join('?')) };
}

function readQuery(text: string): Map<string, string> {
  const pairs = text.split('&').filter((pair) => pair !== '');
  if (pairs.length > maxParameters) {
    throw badRequest(`The query has ${pairs.length} parameters; at most ${maxParameters} are allowed.`);
  }
  const query = new Map<string, string>();
  for (const pair of pairs) {
    const [name = '', ...value] = pair.split('=');
    const [key, text] = [decodeQuery(name), decodeQuery(value.join('='))];
    if (query.has(key)) throw badRequest(`The query has the parameter ${key} more than once.`);
    if (text.includes('\0')) throw badRequest(`The query parameter ${key} contains a NUL character.`);
    query.set(key, text);
  }
  return query;
}

/** In a query, a plus is a space, as in forms. */
function decodeQuery(text: string): string {
  return decode(text.replaceAll('+', ' '));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw badRequest("The URL has a percent sign that isn't followed by a valid code.");
  }
}
