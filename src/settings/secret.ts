/** Wraps tokens and client secrets, so that no message, log or dump can show one by accident. */
import { usage } from '../base/errors.ts';
import { redactionText, registerSecret } from '../base/redaction.ts';

/** A value that is redacted in every printed form. Only `reveal` returns it. */
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

/** The maximum length of a secret: most servers refuse longer headers, and tokens are much shorter. */
const maxLength = 8192;

/**
 * Reads a pasted token: with spaces or a line break at its ends, in quotes, or after "Bearer". Text that isn't valid
 * in a header is refused, and never repeated.
 */
export function readToken(text: unknown): Secret {
  const bare = unwrap(asText(text, 'token'), /^(authorization:\s*)?bearer(\s+|$)/i);
  return checked(bare, 'token');
}

/** Reads a pasted client secret by the same rules as a token. */
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

/** Removes quotes and the prefix until nothing changes, because quotes may be around either. */
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
