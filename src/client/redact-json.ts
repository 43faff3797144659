/** Redacts known secrets in JSON. */
import { redact, redactData, redactValue } from '../base/redaction.ts';
import { parseJson } from './shape.ts';

/** Redacts the strings of JSON. Redacts the whole text if it isn't JSON or is nested too deeply. Counts the redacted values of the request `read`. */
export function redactJson(text: string, read: string | undefined): string {
  try {
    const parsed = parseJson(text);
    if (!parsed) return redact(text);
    const value = read === undefined ? redactValue(parsed.value) : redactData(parsed.value, read);
    return value === parsed.value ? text : JSON.stringify(value);
  } catch {
    return redact(text);
  }
}
