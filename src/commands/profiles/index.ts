/** `boh profiles …`: one for each business and environment, with its own settings. */
import type { Command } from 'commander';
import type { Context } from '../../interaction/context.ts';
import { groupCommand, type Subcommand } from '../group.ts';

const about =
  'One profile for each business and environment, with its own settings, output format and colour.';

const subcommands: readonly Subcommand[] = [
  ['list', 'List all profiles', async () => (await import('./show.ts')).listCommand],
  ['show', 'Show what a profile holds', async () => (await import('./show.ts')).showCommand],
  ['use', 'Make a profile the active one', async () => (await import('./change.ts')).useCommand],
  ['add', 'Make a profile without signing in', async () => (await import('./add.ts')).addCommand],
  ['rename', 'Rename a profile', async () => (await import('./change.ts')).renameCommand],
  ['remove', 'Remove a profile with its token', async () => (await import('./change.ts')).removeCommand],
];

export function profilesCommand(context: Context, words: readonly string[]): Promise<Command> {
  return groupCommand({ name: 'profiles', about, subcommands }, context, words);
}
