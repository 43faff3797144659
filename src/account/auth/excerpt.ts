/** Shortens text from a service for messages: one short line without control characters and secrets. */

import { boh, type Hint } from '../../base/hint.ts';
import { redactionMarker } from '../../base/redaction.ts';

const maxExcerptCharacters = 200;

/** Returns a short excerpt of text. Redacts the `secrets` that were sent, named secrets and tokens before it shortens the text. */
export function redactAndShorten(text: string, secrets: readonly string[] = []): string {
  let result = redactNamedSecrets(text);
  for (const secret of secrets) result = redactSecret(result, secret);
  return toSingleLine(
    result.replaceAll(namedSecretPattern, `$1${redactionMarker}`).replaceAll(tokenPattern, redactionMarker),
  );
}

/**
 * Returns an excerpt of a message for users, such as an error_description. Redacts only the `secrets` that were sent and
 * named secrets, because a message may contain URLs and long words.
 */
export function redactMessage(text: string, secrets: readonly string[] = []): string {
  let result = text;
  for (const secret of secrets) result = redactSecret(result, secret);
  return toSingleLine(result.replaceAll(namedSecretPattern, `$1${redactionMarker}`));
}

/** Returns the error message of a refusal, or an excerpt if it has no message. */
export function errorMessageFrom(text: string, secrets: readonly string[]): string {
  const fields = fieldsOf(text);
  const messages = ['error', 'error_description', 'message', 'hint', 'error_uri'].flatMap((name) => {
    const value = fields[name];
    return typeof value === 'string' && value !== '' ? [value] : [];
  });
  return messages.length > 0
    ? redactMessage([...new Set(messages)].join(': '), secrets)
    : redactAndShorten(text, secrets);
}

function toSingleLine(text: string): string {
  const result = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return result.length > maxExcerptCharacters ? `${result.slice(0, maxExcerptCharacters - 1)}…` : result;
}

function fieldsOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** Matches the value after a name such as "access_token", in a query or in truncated JSON. */
const namedSecretPattern =
  /("\w*(?:token|secret|password)"\s*:\s*"|\b\w*(?:token|secret|password)=)[^"&\s]+/gi;
const secretNamePattern = /(?:token|secret|password)$/i;

/** Matches tokens: words are not this long, and words of half this length don't contain digits. */
const tokenPattern = /[\w.~+/=-]{32,}|(?=[\w.~+/=-]*\d)[\w.~+/=-]{16,}/g;

/** Redacts the values of secret names in complete JSON. */
function redactNamedSecrets(text: string): string {
  try {
    return JSON.stringify(
      JSON.parse(text, (name, value: unknown) =>
        secretNamePattern.test(name) && value !== null ? redactionMarker : value,
      ),
    );
  } catch {
    return text;
  }
}

function redactSecret(text: string, secret: string): string {
  if (secret === '') return text;
  const spellings = new Set([secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]);
  return [...spellings].reduce((result, spelling) => result.replaceAll(spelling, redactionMarker), text);
}

/** The values, with the texts that name them and what to check. The service's own words vary. */
const values = [
  { name: 'client ID', named: /client[_ ]?id\b|unknown client|(un|in)\w*_client/i, advice: '--client-id' },
  {
    name: 'client secret',
    named: /secret|invalid_client/i,
    advice: 'BOH_CLIENT_SECRET or --client-secret-file',
  },
  { name: 'redirect URI', named: /redirect|invalid_grant/i, advice: '--redirect-uri, exactly as registered' },
  { name: 'scopes', named: /scope/i, advice: '--scopes' },
  { name: 'code', named: /\bcode\b|expired|revoked|invalid_grant/i, advice: 'valid once, for ten minutes' },
];

export type SignInValue = (typeof values)[number];

/** Returns the values that the first of the texts with a value names; the most specific text comes first. */
export function refusedValues(texts: readonly string[]): SignInValue[] {
  const named = texts.map((text) => values.filter((value) => value.named.test(text)));
  return named.find((found) => found.length > 0) ?? [];
}

/** Returns a hint to check these values; all but the scopes if the service names none. */
export function checkHint(refused: readonly SignInValue[]): Hint {
  const suspects = refused.length > 0 ? refused : values.filter(({ name }) => name !== 'scopes');
  const list = suspects.map(({ name, advice }) => `${name} (${advice})`).join(', ');
  return boh.hint`Check: ${list}. To sign in again: ${boh.profile('auth login')}`;
}
