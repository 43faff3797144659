/** `boh RESOURCE get ID`, and `boh whoami`: one record. */
import { type Command, Option } from 'commander';
import type { Operation } from '../../contract/operation.ts';
import { violations } from '../../errors.ts';
import type { Context } from '../context.ts';
import { addIdArguments, completeIds } from '../input/given-ids.ts';
import { includeMessages } from '../input/list-query.ts';
import { planned } from '../output/planned.ts';
import { presentedInView } from '../output/present.ts';
import type { Result } from '../output/result.ts';
import { type View, withImplied } from '../output/view.ts';
import { addViewFlags } from '../output/view-flags.ts';

export function configureGet(command: Command, operation: Operation, context: Context): void {
  addIdArguments(command, operation);
  command.addOption(
    new Option('--include <relations>', 'relations to show in full, such as a,b.c').helpGroup('Rows:'),
  );
  addViewFlags(command);
  command.action(() =>
    presentedInView(context, operation.resource, command.opts(), (view) =>
      runGet(command.args, view, operation, context),
    ),
  );
}

async function runGet(
  given: readonly string[],
  asked: View,
  operation: Operation,
  context: Context,
): Promise<Result> {
  const { resource } = operation;
  const messages = context.globals.unchecked ? {} : await includeMessages(resource, asked.include);
  if (messages.include) throw violations(`The request to ${resource.command}`, messages);
  const view = withImplied(asked, 'record');
  const ids = await completeIds(context, operation, given);
  const session = await context.session();
  const call = { operation, ids, query: { include: view.include } };
  if (context.globals.dryRun) return planned(context, [await session.plan(call)]);
  const { record, body } = await session.get(call);
  return { kind: 'record', resource, record, body };
}
