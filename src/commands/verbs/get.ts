/** `boh RESOURCE get ID`, and `boh whoami`: one record. */
import { type Command, Option } from 'commander';
import type { Operation } from '../../contract/operation.ts';
import { splitList } from '../../contract/text.ts';
import { violations } from '../../errors.ts';
import { write } from '../../terminal/streams.ts';
import type { Context } from '../context.ts';
import { includeMessages } from '../list-query.ts';
import { printRecord, type View } from '../output.ts';
import { printPlanned } from '../planned.ts';
import { resolveCall } from '../resolve.ts';
import { addViewOptions } from '../view-options.ts';

interface GetOptions extends Omit<View, 'resource'> {
  include?: string;
  raw?: boolean;
}

export function configureGet(command: Command, operation: Operation, context: Context): void {
  if (operation.params.length > 0) command.argument('<id>', `the id, or @NAME`);
  command.addOption(
    new Option('--include <relations>', 'relations to show in full, such as a,b.c').helpGroup('Rows:'),
  );
  addViewOptions(command);
  command.action(() => runGet(command.args, command.opts<GetOptions>(), operation, context));
}

async function runGet(
  ids: readonly string[],
  options: GetOptions,
  operation: Operation,
  context: Context,
): Promise<void> {
  const include = splitList(options.include ?? '');
  const messages = context.globals.unchecked ? {} : await includeMessages(operation.resource, include);
  if (messages.include) throw violations(`The question to ${operation.resource.command}`, messages);
  const client = await context.client();
  const asked = { operation, ids, query: { include } };
  if (context.globals.dryRun) return printPlanned(context, [client.requestFor(asked)]);
  const { record, body } = await client.get(await resolveCall(client, asked, []));
  if (options.raw) return write(context.streams.stdout, body.endsWith('\n') ? body : `${body}\n`);
  await printRecord(context, { ...options, resource: operation.resource }, record);
}
