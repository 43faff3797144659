/** `boh RESOURCE upsert`: one record that is there afterwards, whatever was before. */
import type { Command } from 'commander';
import type { Composed } from '../../contract/composed.ts';
import { operation as operationOf } from '../../contract/operation.ts';
import type { Context } from '../../interaction/context.ts';
import { fieldOptions } from '../flags/field-flags.ts';
import { inputOptions } from '../flags/input-options.ts';
import { keyOptions } from '../flags/key-options.ts';
import { addViewFlags } from '../flags/view-flags.ts';
import { noWaitOption } from '../flags/wait-option.ts';

export function configureUpsert(command: Command, upsert: Composed, context: Context): void {
  command.usage('[flags]');
  const create = operationOf(upsert.resource, 'create');
  for (const option of create ? keyOptions(create) : []) command.addOption(option.helpGroup('Which record:'));
  command.addOption(noWaitOption().helpGroup('Which record:'));
  for (const option of fieldOptions(upsert)) command.addOption(option);
  for (const option of inputOptions(upsert)) command.addOption(option.helpGroup('Input:'));
  addViewFlags(command);
  command.action(async () => (await import('./run-upsert.ts')).runUpsert(command, upsert, context));
}
