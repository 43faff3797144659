/** `boh config …`: the settings in effect, and changing those that are kept. */
import { Command } from 'commander';
import type { Context } from '../context.ts';
import { groupCommand, type Subcommand } from '../group.ts';

const subcommands: readonly Subcommand[] = [
  {
    name: 'get',
    summary: 'Print the value of a setting',
    load: async (context) => (await import('./show.ts')).getCommand(context),
  },
  {
    name: 'set',
    summary: 'Set a value, for a profile or for all',
    load: async (context) => (await import('./change.ts')).setCommand(context),
  },
  {
    name: 'unset',
    summary: 'Take a value away',
    load: async (context) => (await import('./change.ts')).unsetCommand(context),
  },
  {
    name: 'list',
    summary: 'List all settings with their values and where those come from',
    load: async (context) => (await import('./show.ts')).listCommand(context),
  },
  {
    name: 'path',
    summary: 'Print where the settings are kept',
    load: async (context) => (await import('./show.ts')).pathCommand(context),
  },
];

export function configCommand(context: Context, words: readonly string[]): Promise<Command> {
  const group = new Command('config').description('Settings: those in effect, and those that are kept.');
  return groupCommand(group, subcommands, context, words);
}
