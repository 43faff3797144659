/** Finds and redacts secrets in the URL and the body of a request. */
import { redactionMarker } from '../../base/redaction.ts';
import type { Api } from './api.ts';
import { isSecretName, isSecretOf } from './redaction.ts';
import type { Resource } from './resource.ts';

/** The minimum length of a secret in characters: shorter values could occur in a message by chance. */
const minSecretCharacters = 4;

/**
 * Returns the path and query with the values of secret parameters redacted, including filters on secret fields. If
 * `resource` is given, its filters are checked without creating the fields of other resources.
 */
export function redactTarget(api: Api, target: string, resource?: Resource): string {
  const queryIndex = target.indexOf('?');
  if (queryIndex === -1) return target;
  const queryPairs = target.slice(queryIndex + 1).split('&');
  return `${target.slice(0, queryIndex)}?${queryPairs.map((pair) => redactPair(api, pair, resource)).join('&')}`;
}

/** Returns the secret values of a request in all their encodings, to redact them in messages that quote the request. */
export function secretValues(
  api: Api,
  { target, body }: { target: string; body?: string | undefined },
): string[] {
  const secrets: string[] = [];
  const collect = (name: string, value: unknown) => {
    const isText = typeof value === 'string' || typeof value === 'number';
    if (isText && String(value).length >= minSecretCharacters && isSecretName(api, name))
      secrets.push(String(value));
    return value;
  };
  for (const pair of target.split('?').slice(1).join('?').split('&')) {
    const [name = '', ...valueParts] = pair.split('=');
    for (const word of wordsOf(name)) collect(word, valueParts.join('='));
  }
  if (body !== undefined) JSON.parse(body, collect);
  return [...new Set(secrets.flatMap(encodingsOf))];
}

/** Returns the text unchanged, encoded for JSON, encoded for a query, and decoded. */
function encodingsOf(text: string): string[] {
  return [text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text.toWellFormed()), decode(text)];
}

function redactPair(api: Api, pair: string, resource: Resource | undefined): string {
  const [name = '', ...valueParts] = pair.split('=');
  const isSecret = (word: string) =>
    resource && isListParameter(resource, word) ? isSecretOf(resource, word) : isSecretName(api, word);
  return valueParts.length > 0 && wordsOf(name).some(isSecret) ? `${name}=${redactionMarker}` : pair;
}

const listParameters = ['filter', 'include', 'sort', 'page', 'per_page'];

function isListParameter({ filters }: Resource, word: string): boolean {
  return listParameters.includes(word) || filters.some(({ name }) => name === word);
}

/** Returns the words of a parameter name: `filter[pin]` contains the word pin. */
function wordsOf(name: string): string[] {
  return decode(name).match(/\w+/g) ?? [];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
