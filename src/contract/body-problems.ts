/** Checks request bodies against the contract. The schemas are loaded by the first check. */
import type { FieldMessages } from '../base/errors.ts';
import type { Operation } from './operation.ts';

/** Returns all violations by field, as `validateBody` does; empty if the body is valid. */
export async function bodyProblems(
  operation: Operation,
  body: Readonly<Record<string, unknown>>,
  options?: { allowsOtherFields?: boolean },
): Promise<FieldMessages> {
  const { validateBody } = await import('./validate.ts');
  return validateBody(operation, body, options);
}
