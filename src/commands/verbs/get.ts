/** `boh RESOURCE get ID…`, and `boh whoami`: one record, or several as a list. */
import { type Command, Option } from 'commander';
import type { Operation } from '../../contract/operation.ts';
import type { Context } from '../../interaction/context.ts';
import { addIdArguments } from '../flags/id-arguments.ts';
import { addViewFlags } from '../flags/view-flags.ts';

export function configureGet(command: Command, operation: Operation, context: Context): void {
  addIdArguments(command, operation);
  command.addOption(
    new Option('--include <relations>', 'relations to show in full, such as a,b.c').helpGroup('Rows:'),
  );
  addViewFlags(command);
  command.action(async () => (await import('./run-get.ts')).runGet(command, operation, context));
}
