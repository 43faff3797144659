/** The ids on the command line. One that is missing is searched for on a terminal, and named in a failure elsewhere. */
import type { Operation } from '../../contract/operation.ts';
import { usage } from '../../errors.ts';
import type { Context } from '../context.ts';

/** Whether one line can name several records; of a link, several at its other end. */
export function takesSeveral({ params, effect }: Operation): boolean {
  return params.length > 0 && effect !== 'act';
}

/** What stands for each id in help and messages: `id`, or `supplier-id` and `inventory-item-id` where there are two. */
export function idNames({ params }: Operation): string[] {
  if (params.length === 1) return ['id'];
  return params.map(({ name }) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));
}

/** Whether somebody can be asked for what is missing. A dry run rehearses that, too; offline there is nothing to choose from. */
export function canAsk({ streams, globals }: Context): boolean {
  return streams.interactive && !globals.offline;
}

/** All ids of an operation, asked for where they are missing. */
export async function completeIds(
  context: Context,
  operation: Operation,
  given: readonly string[],
): Promise<readonly string[]> {
  const missing = idNames(operation).slice(given.length);
  if (missing.length === 0) return given;
  if (canAsk(context)) {
    const { askIds } = await import('../prompts/ask-ids.ts');
    return askIds(context, operation, given);
  }
  const { resource, verb } = operation;
  throw usage(`${resource.command} ${verb} needs ${missing.map((name) => `<${name}>`).join(' and ')}.`, {
    hint: `Ids are shown by: boh ${resource.command} list. @NAME looks a record up by its name.`,
  });
}
