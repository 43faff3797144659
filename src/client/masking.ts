/** Takes out of what a service repeats what nobody may see. */
import { mask, minSecretLength, redacted, redactedData, redactedValue } from '../base/mask.ts';
import { parseJson } from './shape.ts';

/** Returns a function that takes the token of a client, and every secret that is known, out of a text. */
export function maskFor(token = ''): (text: string) => string {
  return (text) => redacted(withoutToken(text, token));
}

/**
 * Returns the same for a body: its names and numbers stay as they are, so that it stays JSON. Values that are covered in
 * what `read` has asked for are counted.
 */
export function bodyMaskFor(token = ''): (body: string, read?: string) => string {
  return (body, read) => {
    const text = redacted(body) === body ? body : redactedJson(body, read);
    return withoutToken(text, token);
  };
}

function withoutToken(text: string, token: string): string {
  return token.length < minSecretLength ? text : text.replaceAll(token, mask);
}

/** What is no JSON, or is nested too deep, is covered as a text. */
function redactedJson(text: string, read: string | undefined): string {
  try {
    const parsed = parseJson(text);
    if (!parsed) return redacted(text);
    const value = read === undefined ? redactedValue(parsed.value) : redactedData(parsed.value, read);
    return value === parsed.value ? text : JSON.stringify(value);
  } catch {
    return redacted(text);
  }
}

/** Takes secrets out of what a refusal may quote. */
export function withoutAll(text: string, secrets: readonly string[]): string {
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, mask), text);
}
