/** What stands of secrets in a request, in its address and its body: neither is to be told to anybody. */

import { mask } from '../base/mask.ts';
import type { Api } from './api.ts';
import type { Resource } from './resource.ts';
import { isSecretName, isSecretOf } from './secret-mask.ts';

/** Shorter texts could stand in any sentence. */
const shortest = 4;

/**
 * Path and query with the values of secret parameters covered, a filter on a secret field among them. With the resource
 * that is asked for no other one's fields are made for what its own lists take.
 */
export function coveredTarget(api: Api, target: string, resource?: Resource): string {
  const at = target.indexOf('?');
  if (at === -1) return target;
  const query = target.slice(at + 1).split('&');
  return `${target.slice(0, at)}?${query.map((pair) => coveredPair(api, pair, resource)).join('&')}`;
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

function coveredPair(api: Api, pair: string, resource: Resource | undefined): string {
  const [name = '', ...value] = pair.split('=');
  const isSecret = (word: string) =>
    resource && isOfItsLists(resource, word) ? isSecretOf(resource, word) : isSecretName(api, word);
  return value.length > 0 && wordsOf(name).some(isSecret) ? `${name}=${mask}` : pair;
}

const ofLists = ['filter', 'include', 'sort', 'page', 'per_page'];

function isOfItsLists({ filters }: Resource, word: string): boolean {
  return ofLists.includes(word) || filters.some(({ name }) => name === word);
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
