/** Defines the placeholder that replaces secrets in the rows of a ledger. */
import type { BodyField } from '../../contract/operation.ts';

/**
 * The placeholder `{ "$secret": true }`, the only member of its object, for a value that is read again when the row is
 * sent. It isn't a string, because a string could be the name of a record; field names of the API never begin with a
 * dollar sign.
 */
export interface SecretPlaceholder {
  readonly $secret: true;
}

export const secretPlaceholder: SecretPlaceholder = { $secret: true };

/** The placeholder in the JSON of a step. Within a string, its quotes would be escaped. */
export const placeholderInJson = '"$secret":';

export function isSecretPlaceholder(value: unknown): value is SecretPlaceholder {
  if (typeof value !== 'object' || value === null) return false;
  return '$secret' in value && value.$secret === true && Object.keys(value).length === 1;
}

/** Returns the names of the fields that must be read again before a body can be sent. */
export function missingSecretNames(
  fields: readonly BodyField[],
  body: Readonly<Record<string, unknown>>,
): string[] {
  return fields.flatMap(({ name, field }) =>
    field.traits.secret && isSecretPlaceholder(body[name]) ? [name] : [],
  );
}
