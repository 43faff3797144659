/** The verbs that take ids and nothing else: `delete`, `restore` and `unlink-…`. */
import type { Command } from 'commander';
import type { Operation } from '../../contract/operation.ts';
import type { Context } from '../../interaction/context.ts';
import { addIdArguments } from '../flags/id-arguments.ts';
import { addWhereOptions } from '../flags/where-options.ts';

export function configureRemove(command: Command, operation: Operation, context: Context): void {
  addIdArguments(command, operation);
  addWhereOptions(command, operation);
  command.action(async () => (await import('./run-remove.ts')).runRemove(command, operation, context));
}
