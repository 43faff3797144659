/** Takes out of what a service repeats what nobody may see. */
import { mask } from '../mask.ts';

/** Secrets shorter than this are samples, and could stand in any word. */
const shortestSecret = 8;

/** Takes the token out of a text. */
export function maskFor(secret = ''): (text: string) => string {
  return secret.length < shortestSecret ? (text) => text : (text) => text.replaceAll(secret, mask);
}

/** Takes secrets out of what a refusal may quote. */
export function withoutAll(text: string, secrets: readonly string[]): string {
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, mask), text);
}
