/** What is wrong with a body before it is sent. Nearly all are right at a glance: the schemas are loaded for the others. */
import type { FieldMessages } from '../errors.ts';
import type { Operation } from './operation.ts';
import { isPlainBody } from './plainly-valid.ts';

/** A run asks with every row. */
let validating: Promise<typeof import('./validate.ts')> | undefined;

/** See `validateBody`. */
export async function bodyProblems(
  operation: Operation,
  body: Readonly<Record<string, unknown>>,
): Promise<FieldMessages> {
  if (isPlainBody(operation, body)) return {};
  validating ??= import('./validate.ts');
  const { validateBody } = await validating;
  return validateBody(operation, body);
}
