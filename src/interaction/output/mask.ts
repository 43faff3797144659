/** The body of an answer as it came, with the secrets in it made unreadable. */
import { parseJson } from '../../client/json-text.ts';
import type { Resource } from '../../contract/resource.ts';
import { maskOf } from '../../contract/secret-mask.ts';

/** Byte for byte, unless a secret is in it: then the same content with that masked. */
export function maskedBody(resource: Resource, body: string): string {
  let parsed: ReturnType<typeof parseJson>;
  try {
    parsed = parseJson(body);
  } catch {
    // What was read as a record is JSON; anything else has no fields.
    return body;
  }
  const shown = maskOf(resource)(parsed?.value);
  if (shown === parsed?.value) return body;
  const text = JSON.stringify(shown);
  return text === JSON.stringify(parsed?.value) ? body : text;
}
