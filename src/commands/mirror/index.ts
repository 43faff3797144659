/** `boh mirror`: a copy of the account in SQL. */
import type { Command } from 'commander';
import type { Context } from '../../interaction/context.ts';
import { groupCommand } from '../group.ts';

export function mirrorCommand(context: Context, words: readonly string[]): Promise<Command> {
  return groupCommand(
    {
      name: 'mirror',
      about:
        'A copy of the account in a database, for questions that the API can’t answer: a file of SQLite, or PostgreSQL.',
      subcommands: [
        [
          'sync',
          'Bring the copy up to date; the first time, make it',
          async () => (await import('./sync.ts')).syncCommand,
        ],
        [
          'query',
          'Answer a question in SQL from the copy',
          async () => (await import('./query.ts')).queryCommand,
        ],
        ['diff', 'Hold the copy against the account', async () => (await import('./diff.ts')).diffCommand],
        [
          'status',
          'Show how old the copy is, and what went wrong last',
          async () => (await import('./status.ts')).statusCommand,
        ],
        [
          'schema',
          'Print the tables with what their columns mean',
          async () => (await import('./schema.ts')).schemaCommand,
        ],
        [
          'forget',
          'Let records go from the copy for good',
          async () => (await import('./forget.ts')).forgetCommand,
        ],
        [
          'reset',
          'Take the copy away, so that the next sync makes it anew',
          async () => (await import('./reset.ts')).resetCommand,
        ],
      ],
    },
    context,
    words,
  );
}
