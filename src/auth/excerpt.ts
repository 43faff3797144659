/** A line of what a service sent, fit for a message: without control characters, without secrets, and short. */
import { redactionText } from '../base/redaction.ts';

const maxLength = 200;

/** Returns a short excerpt without `secrets`, which are those that we sent: they are removed before the text is cut. */
export function excerpt(text: string, secrets: readonly string[] = []): string {
  let shown = withoutNamedSecrets(text);
  for (const secret of secrets) shown = withoutSecret(shown, secret);
  return line(shown.replaceAll(namedSecret, `$1${redactionText}`).replaceAll(longWord, redactionText));
}

/**
 * Returns an excerpt of a text for people, such as an error_description: it may contain addresses and long words, and
 * no secrets except those that we sent.
 */
export function sentence(text: string, secrets: readonly string[] = []): string {
  let shown = text;
  for (const secret of secrets) shown = withoutSecret(shown, secret);
  return line(shown.replaceAll(namedSecret, `$1${redactionText}`));
}

/** Returns the fields of a refusal that are for people; without any, an excerpt of it. */
export function refusalIn(text: string, secrets: readonly string[]): string {
  const fields = fieldsOf(text);
  const texts = ['error', 'error_description', 'message', 'error_uri'].flatMap((name) => {
    const value = fields[name];
    return typeof value === 'string' && value !== '' ? [value] : [];
  });
  return texts.length > 0 ? sentence([...new Set(texts)].join(': '), secrets) : excerpt(text, secrets);
}

function line(text: string): string {
  const shown = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return shown.length > maxLength ? `${shown.slice(0, maxLength - 1)}…` : shown;
}

function fieldsOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** What stands behind a name such as "access_token", in a query or in JSON that is cut off. */
const namedSecret = /("\w*(?:token|secret|password)"\s*:\s*"|\b\w*(?:token|secret|password)=)[^"&\s]+/gi;
const secretName = /(?:token|secret|password)$/i;

/** No word is this long, or mixes digits in when it is half as long; but tokens do. */
const longWord = /[\w.~+/=-]{32,}|(?=[\w.~+/=-]*\d)[\w.~+/=-]{16,}/g;

/** Matches the value of such a name in complete JSON. */
function withoutNamedSecrets(text: string): string {
  try {
    return JSON.stringify(
      JSON.parse(text, (name, value: unknown) =>
        secretName.test(name) && value !== null ? redactionText : value,
      ),
    );
  } catch {
    return text;
  }
}

function withoutSecret(text: string, secret: string): string {
  if (secret === '') return text;
  const spellings = new Set([secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]);
  return [...spellings].reduce((shown, spelling) => shown.replaceAll(spelling, redactionText), text);
}
