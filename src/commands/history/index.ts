/** `boh history`: what was written, and what of that can be looked at, checked and taken elsewhere. */
import type { Command } from 'commander';
import type { Context } from '../../interaction/context.ts';
import { presented } from '../../interaction/output/present.ts';
import { groupCommand } from '../group.ts';
import { addListFlags, listHistory } from './list.ts';

export async function historyCommand(context: Context, words: readonly string[]): Promise<Command> {
  const command = await groupCommand(
    {
      name: 'history',
      about:
        'What was written with boh from this machine, newest first: by whom, when, and what was there before. A page at a terminal, all of it anywhere else.',
      subcommands: [
        [
          'show',
          'Show a write field by field: before, after, now',
          async () => (await import('./show.ts')).showCommand,
        ],
        [
          'verify',
          'Say whether the history is as it was written',
          async () => (await import('./verify.ts')).verifyCommand,
        ],
        [
          'export',
          'Print all of it as NDJSON, for auditors',
          async () => (await import('./export.ts')).exportCommand,
        ],
        [
          'forget',
          'Take out what is kept of a record, for good',
          async () => (await import('./forget.ts')).forgetCommand,
        ],
        ['prune', 'Throw old entries away', async () => (await import('./prune.ts')).pruneCommand],
      ],
    },
    context,
    words,
  );
  command
    .usage('[resource [id]] [flags]')
    .argument('[resource]', 'writes to records of this kind')
    .argument('[id]', 'to this one; @NAME looks it up');
  addListFlags(command);
  command.action(presented(context, () => listHistory(command.args, command.opts(), context)));
  return command;
}
