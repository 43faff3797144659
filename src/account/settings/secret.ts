/** Wraps tokens and client secrets, so that messages, logs and dumps can't show them by accident. */
import { usage } from '../../base/errors.ts';
import { redactionMarker, registerSecret } from '../../base/redaction.ts';

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
    return redactionMarker;
  }

  toJSON(): string {
    return redactionMarker;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return redactionMarker;
  }
}

/** The maximum length of a secret in characters: most servers refuse longer headers, and tokens are much shorter. */
const maxSecretCharacters = 8192;

/**
 * Parses a pasted token, which may be surrounded by spaces, line breaks or quotes, or follow "Bearer". Text that isn't valid
 * in a header is refused; the message doesn't repeat it.
 */
export function parseToken(text: unknown): Secret {
  const token = unwrap(requireText(text, 'token'), /^(authorization:\s*)?bearer(\s+|$)/i);
  return createSecret(token, 'token');
}

/** Parses a pasted client secret by the same rules as a token. */
export function parseClientSecret(text: unknown): Secret {
  return createSecret(unwrap(requireText(text, 'client secret')), 'client secret');
}

function requireText(value: unknown, label: string): string {
  if (typeof value !== 'string') throw usage(`The ${label} must be text.`);
  if (value.length > maxSecretCharacters) {
    throw usage(`The ${label} is too long: more than ${maxSecretCharacters} characters.`);
  }
  return value;
}

/** Removes quotes and the prefix until nothing changes, because quotes may be around either. */
function unwrap(text: string, prefix?: RegExp): string {
  let unwrapped = text;
  for (;;) {
    let next = unwrapped.trim().replace(/^(["'`“”‘’])(.*)["'`“”‘’]$/su, '$2');
    if (prefix !== undefined) next = next.replace(prefix, '');
    if (next === unwrapped) return unwrapped;
    unwrapped = next;
  }
}

function createSecret(value: string, label: string): Secret {
  if (value === '') throw usage(`The ${label} is empty.`);
  if (!/^[\x21-\x7e]+$/.test(value)) {
    throw usage(`The ${label} contains a space, a line break or another invalid character.`, {
      hint: `Copy the complete ${label} again, without other text.`,
    });
  }
  registerSecret({ name: `the ${label} in use`, value });
  return new Secret(value);
}
