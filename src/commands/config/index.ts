/** `boh config …`: the settings in effect, and changing those that are kept. */
import type { Command } from 'commander';
import type { Context } from '../../interaction/context.ts';
import { groupCommand, type Subcommand } from '../group.ts';

const about = 'Settings: those in effect, and those that are kept.';

const subcommands: readonly Subcommand[] = [
  ['get', 'Print the value of a setting', async () => (await import('./show.ts')).getCommand],
  ['set', 'Set a value, for a profile or for all', async () => (await import('./change.ts')).setCommand],
  ['unset', 'Take a value away', async () => (await import('./change.ts')).unsetCommand],
  [
    'list',
    'List all settings with their values and where those come from',
    async () => (await import('./show.ts')).listCommand,
  ],
  ['path', 'Print where the settings are kept', async () => (await import('./show.ts')).pathCommand],
];

export function configCommand(context: Context, words: readonly string[]): Promise<Command> {
  return groupCommand({ name: 'config', about, subcommands }, context, words);
}
