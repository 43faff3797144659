/** Checks a request body against the contract; loads the schemas when the first body is checked. */
import type { FieldMessages } from '../base/errors.ts';
import type { Operation } from './operation.ts';

/** Returns all violations by field, as `validateBody` does; empty where the body is valid. */
export async function bodyProblems(
  operation: Operation,
  body: Readonly<Record<string, unknown>>,
): Promise<FieldMessages> {
  const { validateBody } = await import('./validate.ts');
  return validateBody(operation, body);
}
