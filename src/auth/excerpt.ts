/** Shortens text from a service for messages: one short line without control characters and secrets. */
import { redactionMarker } from '../base/redaction.ts';

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
