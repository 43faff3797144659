/** Completes a command line: asks for missing IDs, required fields and secrets, or reports them without a terminal. */

import { type FieldMessages, missingValue, usage } from '../base/errors.ts';
import { boh } from '../base/hint.ts';
import type { Row } from '../client/shape.ts';
import type { Context } from '../context/context.ts';
import type { BodyField, Operation } from '../contract/operation.ts';
import { flagName } from '../contract/value-text.ts';
import { promptsFor } from './terminal/prompts.ts';

/** Loads the prompts that ask for records: pickers and their search. */
export const idPrompts = () => import('./find-record.ts');

/** Returns whether a command line can name several records, or several linked records. */
export function acceptsSeveralTargets({ params, effect }: Operation): boolean {
  return params.length > 0 && effect !== 'act';
}

/** Returns the names of the IDs in help and messages: `id`, or `supplier-id` and `inventory-item-id` for a link. */
export function idNames({ params }: Operation): string[] {
  if (params.length === 1) return ['id'];
  return params.map(({ name }) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));
}

/** Returns whether boh can ask for missing input. It can't with --offline: there are no records to choose from. */
export function canAsk({ streams, globals }: Context): boolean {
  return streams.interactive && !globals.offline;
}

/** Returns all IDs of an operation. Asks for the missing IDs on a terminal. */
export async function completeIds(
  context: Context,
  operation: Operation,
  initialIds: readonly string[],
): Promise<readonly string[]> {
  const missing = idNames(operation).slice(initialIds.length);
  if (missing.length === 0) return initialIds;
  if (canAsk(context)) {
    const { askIds } = await idPrompts();
    return askIds(context, operation, initialIds);
  }
  const { resource, verb } = operation;
  throw usage(`${resource.command} ${verb} needs ${missing.map((name) => `<${name}>`).join(' and ')}.`, {
    hint: boh.hint`To list IDs: ${boh.account(`${resource.command} list`)}. To find a record by name, write @NAME.`,
  });
}

/** Returns the required fields that are missing in a body. */
export function missingFields({ body: fields }: Operation, body: Row): BodyField[] {
  return fields.filter(({ name, mustBeSent }) => mustBeSent && body[name] === undefined);
}

/** Returns the missing IDs as violations. */
export function missingIds(operation: Operation, ids: readonly string[]): FieldMessages {
  const missing = idNames(operation).slice(ids.length);
  return Object.fromEntries(missing.map((name) => [name, [missingValue]]));
}

/** Asks for the secrets of `--ask FIELD`. */
export async function askSecrets(
  operation: Operation,
  names: readonly string[],
  { streams }: Context,
): Promise<Record<string, string>> {
  const answers: Record<string, string> = {};
  for (const name of names.map((argument) => argument.replaceAll('-', '_'))) {
    const entry = operation.body.find((candidate) => candidate.name === name);
    if (!entry)
      throw usage(`${operation.resource.command} ${operation.verb} has no field "${name}" to ask for.`);
    const message = `${entry.field.traits.description ?? flagName(name)}:`;
    const validate = (answer: string) =>
      answer === '' ? 'Enter a value, or press Ctrl-C to cancel.' : undefined;
    answers[name] = await (await promptsFor(streams)).askHidden({ message, validate });
  }
  return answers;
}
