/** Checks request bodies against the contract. The schemas are loaded by the first check. */
import { type FieldMessages, violations } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Operation } from './operation.ts';

/** Throws one usage failure for all violations of the contract and the other problems of the input. */
export async function requireValidBody(
  operation: Operation,
  body: Readonly<Record<string, unknown>>,
  { unchecked = false, problems = {} }: { unchecked?: boolean | undefined; problems?: FieldMessages } = {},
): Promise<void> {
  const { validateBody } = await import('./validate.ts');
  const messages = { ...(unchecked ? {} : validateBody(operation, body)), ...problems };
  if (Object.keys(messages).length > 0)
    throw violations(`input for ${operation.command}`, messages, boh.help(operation.command));
}
