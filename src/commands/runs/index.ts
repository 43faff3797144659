/** `boh runs`: what runs did, and going on with those that stopped. */
import type { Command } from 'commander';
import type { Context } from '../../interaction/context.ts';
import { groupCommand } from '../group.ts';

export function runsCommand(context: Context, words: readonly string[]): Promise<Command> {
  return groupCommand(
    {
      name: 'runs',
      about: 'What imports and other runs over many records did, and going on with those that stopped.',
      subcommands: [
        [
          'list',
          'List the runs of this machine, newest first',
          async () => (await import('./list.ts')).listCommand,
        ],
        [
          'show',
          'Show what became of each row of a run',
          async () => (await import('./show.ts')).showCommand,
        ],
        [
          'resume',
          'Go on with a run where it stopped',
          async () => (await import('./resume.ts')).resumeCommand,
        ],
      ],
    },
    context,
    words,
  );
}
