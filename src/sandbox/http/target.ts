/** What a request asks for, taken apart: the parts of its path and the pairs of its query, decoded. */
import { badRequest, notFound, Refusal } from './refusal.ts';

export interface RequestTarget {
  /** `/customers/7` is `['customers', '7']`. */
  segments: readonly string[];
  /** Each name once, in the order sent. */
  query: ReadonlyMap<string, string>;
}

const longestTarget = 16_384;
const mostParameters = 100;

/** Refuses what can't be decoded, is too long, or names a parameter twice. Paths outside the prefix are not found. */
export function readTarget(target: string, prefix: string): RequestTarget {
  if (target.length > longestTarget) throw new Refusal(414, 'The address of the request is too long.');
  const [path = '', ...rest] = target.split('?');
  if (path !== prefix && !path.startsWith(`${prefix}/`)) throw notFound();
  const segments = path.slice(prefix.length + 1).split('/');
  return { segments: segments.map(decode), query: readQuery(rest.join('?')) };
}

function readQuery(text: string): Map<string, string> {
  const pairs = text.split('&').filter((pair) => pair !== '');
  if (pairs.length > mostParameters) {
    throw badRequest(`The query has ${pairs.length} parameters; at most ${mostParameters} are taken.`);
  }
  const query = new Map<string, string>();
  for (const pair of pairs) {
    const [name = '', ...value] = pair.split('=');
    const [key, text] = [decodeQuery(name), decodeQuery(value.join('='))];
    if (query.has(key)) throw badRequest(`The query names ${key} more than once.`);
    if (text.includes('\0')) throw badRequest(`The query's ${key} holds a character that no text can have.`);
    query.set(key, text);
  }
  return query;
}

/** In a query, as forms write it, a plus is a space. */
function decodeQuery(text: string): string {
  return decode(text.replaceAll('+', ' '));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw badRequest('The address of the request holds a percent sign that encodes nothing.');
  }
}
