/** `boh sandbox …`: the service on this machine. Of its subcommands only the one that the line names is built. */
import { Command } from 'commander';
import type { Context } from '../context.ts';
import { groupCommand, type Subcommand } from '../group.ts';

const subcommands: readonly Subcommand[] = [
  {
    name: 'serve',
    summary: 'Answer over HTTP, for other programs and for the browser',
    load: async (context) => (await import('./serve.ts')).serveCommand(context),
  },
  {
    name: 'run',
    summary: 'Run a command against a fresh sandbox that is gone afterwards',
    load: async (context) => (await import('./run.ts')).runCommand(context),
  },
  {
    name: 'status',
    summary: 'Show what is in a sandbox, and where it is',
    load: async (context) => (await import('./status.ts')).statusCommand(context),
  },
  {
    name: 'reset',
    summary: 'Begin a sandbox anew',
    load: async (context) => (await import('./reset.ts')).resetCommand(context),
  },
  {
    name: 'snapshot',
    summary: 'Keep a copy of a sandbox, and go back to it',
    load: async (context) => (await import('./snapshot.ts')).snapshotCommand(context),
  },
  {
    name: 'token',
    summary: 'Print a token',
    load: async (context) => (await import('./token.ts')).tokenCommand(context),
  },
  {
    name: 'order',
    summary: 'Place an order, as a till does',
    load: async (context) => (await import('./order.ts')).orderCommand(context),
  },
  {
    name: 'return',
    summary: 'Return a part of an order, or all of it',
    load: async (context) => (await import('./order.ts')).returnCommand(context),
  },
  {
    name: 'stock',
    summary: 'Move stock in ways that the API has no endpoint for',
    load: async (context) => (await import('./stock.ts')).stockCommand(context),
  },
  {
    name: 'settings',
    summary: 'Show or change the settings of the business',
    load: async (context) => (await import('./settings.ts')).settingsCommand(context),
  },
  {
    name: 'events',
    summary: 'Show who was told of what',
    load: async (context) => (await import('./events.ts')).eventsCommand(context),
  },
  {
    name: 'clock',
    summary: 'Show, set, move or stop the clock',
    load: async (context) => (await import('./clock.ts')).clockCommand(context),
  },
  {
    name: 'faults',
    summary: 'Choose what goes wrong, and how often',
    load: async (context) => (await import('./faults.ts')).faultsCommand(context),
  },
];

export function sandboxCommand(context: Context, words: readonly string[]): Promise<Command> {
  const group = new Command('sandbox').description(
    'The service itself on this machine: made-up data of a restaurant, the rules of the API, no account.',
  );
  return groupCommand(group, subcommands, context, words);
}
