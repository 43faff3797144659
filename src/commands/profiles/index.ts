/** `boh profiles …`: one for each business and environment, with its own settings. */
import { Command } from 'commander';
import type { Context } from '../context.ts';
import { groupCommand, type Subcommand } from '../group.ts';

const subcommands: readonly Subcommand[] = [
  {
    name: 'list',
    summary: 'List all profiles',
    load: async (context) => (await import('./list.ts')).listCommand(context),
  },
  {
    name: 'show',
    summary: 'Show what a profile holds',
    load: async (context) => (await import('./show.ts')).showCommand(context),
  },
  {
    name: 'use',
    summary: 'Make a profile the active one',
    load: async (context) => (await import('./use.ts')).useCommand(context),
  },
  {
    name: 'add',
    summary: 'Make a profile without signing in',
    load: async (context) => (await import('./add.ts')).addCommand(context),
  },
  {
    name: 'rename',
    summary: 'Rename a profile',
    load: async (context) => (await import('./rename.ts')).renameCommand(context),
  },
  {
    name: 'remove',
    summary: 'Remove a profile with its token',
    load: async (context) => (await import('./remove.ts')).removeCommand(context),
  },
];

export function profilesCommand(context: Context, words: readonly string[]): Promise<Command> {
  const group = new Command('profiles').description(
    'One profile for each business and environment, with its own settings, output format and colour.',
  );
  return groupCommand(group, subcommands, context, words);
}
