/** What a write can't do without and hasn't been given. */
import type { Row } from '../../client/shape.ts';
import type { BodyField, Operation } from '../../contract/operation.ts';
import type { FieldMessages } from '../../errors.ts';
import { idNames } from './given-ids.ts';

/** An update changes what it is given, so nothing is required of it; what stands for the signed-in user fills itself in. */
export function missingFields({ effect, body: fields }: Operation, body: Row): BodyField[] {
  if (effect === 'update') return [];
  return fields.filter(
    ({ name, field: { traits } }) =>
      traits.required && !traits.defaultsToSignedInUser && body[name] === undefined,
  );
}

/** The ids that are missing, as violations. */
export function missingIds(operation: Operation, ids: readonly string[]): FieldMessages {
  const missing = idNames(operation).slice(ids.length);
  return Object.fromEntries(missing.map((name) => [name, ['is missing']]));
}
