/** How a row of a ledger speaks of a secret: by a mark in its place, as no ledger holds what is sent there. */
import type { BodyField } from '../../contract/operation.ts';

/**
 * `{ "$secret": true }`, alone in its object, in the place of a value that is read again when the row is sent. No field
 * of an API begins with a dollar; a text might be what somebody is called.
 */
export interface SecretMark {
  readonly $secret: true;
}

export const secretMark: SecretMark = { $secret: true };

/** What earlier versions have written into secret fields: no ledger holds the value of one, so that it is the mark there. */
const formerMark = '$secret';

/** As it stands in the JSON of a step; a text that holds it has its quotes escaped there. */
export const secretInJson = '"$secret":';

/** The same of earlier versions, in the field with this name. */
export function formerSecretInJson(name: string): string {
  return `${JSON.stringify(name)}:${JSON.stringify(formerMark)}`;
}

export function isSecret(value: unknown): value is SecretMark {
  if (typeof value !== 'object' || value === null) return false;
  return '$secret' in value && value.$secret === true && Object.keys(value).length === 1;
}

/** The names of what has to be read again before a body can be sent. */
export function secretNames(fields: readonly BodyField[], body: Readonly<Record<string, unknown>>): string[] {
  return fields.flatMap(({ name, field }) =>
    field.traits.secret && (isSecret(body[name]) || body[name] === formerMark) ? [name] : [],
  );
}
