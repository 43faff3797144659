/** What stands of secrets in a request, in its address and its body: neither is to be told to anybody. */
import type { Api } from './api.ts';
import { isSecretName, mask } from './secret-mask.ts';

/** Shorter texts could stand in any sentence. */
const shortest = 4;

/** Path and query with the values of secret parameters covered, a filter on a secret field among them. */
export function coveredTarget(api: Api, target: string): string {
  const at = target.indexOf('?');
  if (at === -1) return target;
  const query = target.slice(at + 1).split('&');
  return `${target.slice(0, at)}?${query.map((pair) => coveredPair(api, pair)).join('&')}`;
}

/** The texts in it that are secret, for whoever repeats it: by their names, at any depth. */
export function secretTexts(
  api: Api,
  { target, body }: { target: string; body?: string | undefined },
): string[] {
  const found: string[] = [];
  const see = (name: string, value: unknown) => {
    const isText = typeof value === 'string' || typeof value === 'number';
    if (isText && String(value).length >= shortest && isSecretName(api, name)) found.push(String(value));
    return value;
  };
  for (const pair of target.split('?').slice(1).join('?').split('&')) {
    const [name = '', ...value] = pair.split('=');
    for (const word of wordsOf(name)) see(word, value.join('='));
  }
  if (body !== undefined) JSON.parse(body, see);
  return [...new Set(found.flatMap(spellings))];
}

/** As it is, in JSON, in a query, and as one or the other has been read. */
function spellings(text: string): string[] {
  return [text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text.toWellFormed()), decoded(text)];
}

function coveredPair(api: Api, pair: string): string {
  const [name = '', ...value] = pair.split('=');
  return value.length > 0 && wordsOf(name).some((word) => isSecretName(api, word)) ? `${name}=${mask}` : pair;
}

/** `filter[pin]` is about a pin. */
function wordsOf(name: string): string[] {
  return decoded(name).match(/\w+/g) ?? [];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
