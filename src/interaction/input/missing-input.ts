/** What a write can't do without and hasn't been given. */
import type { Row } from '../../client/shape.ts';
import type { BodyField, Operation } from '../../contract/operation.ts';
import type { FieldMessages } from '../../errors.ts';
import { idNames } from './given-ids.ts';

export function missingFields({ body: fields }: Operation, body: Row): BodyField[] {
  return fields.filter(({ name, mustBeGiven }) => mustBeGiven && body[name] === undefined);
}

/** The ids that are missing, as violations. */
export function missingIds(operation: Operation, ids: readonly string[]): FieldMessages {
  const missing = idNames(operation).slice(ids.length);
  return Object.fromEntries(missing.map((name) => [name, ['is missing']]));
}
