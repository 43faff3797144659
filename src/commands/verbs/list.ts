/** `boh RESOURCE list`: every filter a flag; a first page for people, every row for machines. */
import { type Command, Option } from 'commander';
import type { Operation } from '../../contract/operation.ts';
import type { Context } from '../../interaction/context.ts';
import type { Extent } from '../extent.ts';
import { anyAccountOption } from '../flags/any-account.ts';
import { addFilterFlags } from '../flags/field-flags.ts';
import { addViewFlags } from '../flags/view-flags.ts';

const rowFlags = [
  ['--include <relations>', 'relations to show in full, such as a,b.c'],
  ['--sort <fields>', 'fields to sort by; - in front for the last first'],
  ['--limit <number>', 'no more rows than this'],
  ['--page <number>', 'this page alone'],
  ['--all', 'every row, on a terminal too'],
  ['--watch [seconds]', 'keep looking, and show what changes'],
  ['--mirror', 'from the copy of boh mirror sync, and say how old that is'],
] as const;

export function configureList(
  command: Command,
  operation: Operation,
  context: Context,
  { withFlags = true }: Extent = {},
): void {
  if (withFlags) addListFlags(command, operation, { withView: true });
  command.action(async () => (await import('./run-list.ts')).runList(command, operation, context));
}

/** `withView`: also the flag that takes others from a saved view. */
export function addListFlags(
  command: Command,
  { resource: { filters } }: Operation,
  { withView }: { withView: boolean },
): void {
  addFilterFlags(command, filters);
  for (const [flags, about] of rowFlags) command.addOption(new Option(flags, about).helpGroup('Rows:'));
  command.addOption(anyAccountOption().helpGroup('Rows:'));
  addViewFlags(command);
  if (withView) {
    command.addOption(
      new Option('--view <view>', 'the filters, columns and other flags of a saved view').helpGroup('Rows:'),
    );
  }
}
