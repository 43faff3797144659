/** Marks secrets in the rows of a ledger: a placeholder stands for the value that is sent, as no ledger contains it. */
import type { BodyField } from '../../contract/operation.ts';

/**
 * The placeholder `{ "$secret": true }`, alone in its object, for a value that is read again when the row is sent. No
 * field of an API begins with a dollar, whereas a text could be the name of a record.
 */
export interface SecretMark {
  readonly $secret: true;
}

/** The placeholder of a secret. */
export const secretMark: SecretMark = { $secret: true };

/**
 * The text that earlier versions wrote into secret fields. As no ledger contains the value of a secret field, such a
 * text is a placeholder there.
 */
const formerMark = '$secret';

/** The placeholder in the JSON of a step. In a text its quotes would be escaped. */
export const secretInJson = '"$secret":';

/** Returns the placeholder of earlier versions in the JSON of a step, for the field with this name. */
export function formerSecretInJson(name: string): string {
  return `${JSON.stringify(name)}:${JSON.stringify(formerMark)}`;
}

/** Returns whether a value is the placeholder of a secret. */
export function isSecret(value: unknown): value is SecretMark {
  if (typeof value !== 'object' || value === null) return false;
  return '$secret' in value && value.$secret === true && Object.keys(value).length === 1;
}

/** Returns the names of the fields that have to be read again before a body can be sent. */
export function secretNames(fields: readonly BodyField[], body: Readonly<Record<string, unknown>>): string[] {
  return fields.flatMap(({ name, field }) =>
    field.traits.secret && (isSecret(body[name]) || body[name] === formerMark) ? [name] : [],
  );
}
