/** `boh views …`: lists with their flags, under names. */
import type { Command } from 'commander';
import type { Context } from '../../interaction/context.ts';
import { groupCommand, type Subcommand } from '../group.ts';

const about =
  'Lists that are looked at again and again, with their filters and columns, under a name: boh RESOURCE list --view NAME.';

export function viewsCommand(context: Context, words: readonly string[]): Promise<Command> {
  const subcommands: readonly Subcommand[] = [
    [
      'save',
      'Keep the flags of a list under a name',
      async () => {
        const { saveCommand } = await import('./save.ts');
        return (own) => saveCommand(own, words);
      },
    ],
    ['list', 'List the saved views', async () => (await import('./manage.ts')).listCommand],
    ['show', 'Show the line that a view stands for', async () => (await import('./manage.ts')).showCommand],
    ['delete', 'Forget a view', async () => (await import('./manage.ts')).deleteCommand],
  ];
  return groupCommand({ name: 'views', about, subcommands }, context, words);
}
