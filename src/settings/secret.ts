/** Tokens and client secrets, wrapped so that no message, log or dump can show one by accident. */
import { usage } from '../base/errors.ts';
import { redactionText, registerSecret } from '../base/redaction.ts';

/** A value that prints as dots everywhere; only `reveal` gives it out, at the one place that needs it. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return redactionText;
  }

  toJSON(): string {
    return redactionText;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return redactionText;
  }
}

/** Most servers refuse a header that is longer, and no token comes near it. */
const maxLength = 8192;

/**
 * A token as people paste it: with spaces or a line break at its ends, in quotes, or with "Bearer" in front.
 * Anything else that can't stand in a header is refused, and the refusal never repeats the value.
 */
export function readToken(text: unknown): Secret {
  const bare = unwrap(asText(text, 'token'), /^(authorization:\s*)?bearer(\s+|$)/i);
  return checked(bare, 'token');
}

/** A client secret as people paste it, under the same rules as a token. */
export function readClientSecret(text: unknown): Secret {
  return checked(unwrap(asText(text, 'client secret')), 'client secret');
}

function asText(value: unknown, what: string): string {
  if (typeof value !== 'string') throw usage(`The ${what} must be text.`);
  if (value.length > maxLength) {
    throw usage(`The ${what} is too long: more than ${maxLength} characters.`);
  }
  return value;
}

/** Quotes can be around the prefix or after it, so both are taken off until nothing changes. */
function unwrap(text: string, prefix?: RegExp): string {
  let bare = text;
  for (;;) {
    let next = bare.trim().replace(/^(["'`“”‘’])(.*)["'`“”‘’]$/su, '$2');
    if (prefix !== undefined) next = next.replace(prefix, '');
    if (next === bare) return bare;
    bare = next;
  }
}

function checked(value: string, what: string): Secret {
  if (value === '') throw usage(`The ${what} is empty.`);
  if (!/^[\x21-\x7e]+$/.test(value)) {
    throw usage(`The ${what} contains a space, a line break or another invalid character.`, {
      hint: `Copy the complete ${what} again, without other text.`,
    });
  }
  registerSecret({ name: `the ${what} in use`, value });
  return new Secret(value);
}
