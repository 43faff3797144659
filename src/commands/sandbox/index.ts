/** `boh sandbox …`: the service on this machine. Of its subcommands only the one that the line names is built. */
import type { Command } from 'commander';
import type { Context } from '../../interaction/context.ts';
import { groupCommand, type Subcommand } from '../group.ts';

const about =
  'The service itself on this machine: made-up data of a restaurant, the rules of the API, no account.';

const subcommands: readonly Subcommand[] = [
  [
    'serve',
    'Answer over HTTP, for other programs and for the browser',
    async () => (await import('./serve.ts')).serveCommand,
  ],
  [
    'run',
    'Run a command against a fresh sandbox that is gone afterwards',
    async () => (await import('./run.ts')).runCommand,
  ],
  [
    'status',
    'Show what is in a sandbox, and where it is',
    async () => (await import('./status.ts')).statusCommand,
  ],
  [
    'check',
    'Find out whether a sandbox’s file is whole',
    async () => (await import('./check.ts')).checkCommand,
  ],
  ['reset', 'Begin a sandbox anew', async () => (await import('./reset.ts')).resetCommand],
  [
    'snapshot',
    'Keep a copy of a sandbox, and go back to it',
    async () => (await import('./snapshot.ts')).snapshotCommand,
  ],
  ['token', 'Print a token', async () => (await import('./token.ts')).tokenCommand],
  ['order', 'Place an order, as a till does', async () => (await import('./order.ts')).orderCommand],
  [
    'return',
    'Return a part of an order, or all of it',
    async () => (await import('./order.ts')).returnCommand,
  ],
  [
    'stock',
    'Move stock in ways that the API has no endpoint for',
    async () => (await import('./stock.ts')).stockCommand,
  ],
  [
    'settings',
    'Show or change the settings of the business',
    async () => (await import('./settings.ts')).settingsCommand,
  ],
  ['events', 'Show who was told of what', async () => (await import('./events.ts')).eventsCommand],
  ['clock', 'Show, set, move or stop the clock', async () => (await import('./clock.ts')).clockCommand],
  [
    'faults',
    'Choose what goes wrong, and how often',
    async () => (await import('./faults.ts')).faultsCommand,
  ],
];

export function sandboxCommand(context: Context, words: readonly string[]): Promise<Command> {
  return groupCommand({ name: 'sandbox', about, subcommands }, context, words);
}
