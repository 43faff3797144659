/** `boh auth …`: signing in, and what is known of the token. */
import type { Command } from 'commander';
import type { Context } from '../../interaction/context.ts';
import { groupCommand, type Subcommand } from '../group.ts';

const about = 'Sign in, and see who you are and what you may do.';

const subcommands: readonly Subcommand[] = [
  [
    'login',
    'Sign in through the browser, or store a token',
    async () => (await import('./login.ts')).loginCommand,
  ],
  [
    'status',
    'Show who is signed in, where, and with which scopes',
    async () => (await import('./status.ts')).statusCommand,
  ],
  ['logout', 'Forget the token of a profile', async () => (await import('./logout.ts')).logoutCommand],
  [
    'token',
    'Print the token, for curl and other programs',
    async () => (await import('./token.ts')).tokenCommand,
  ],
  ['scopes', 'Show which commands the token allows', async () => (await import('./scopes.ts')).scopesCommand],
  ['can', 'Say whether the token allows a command', async () => (await import('./scopes.ts')).canCommand],
];

export function authCommand(context: Context, words: readonly string[]): Promise<Command> {
  return groupCommand({ name: 'auth', about, subcommands }, context, words);
}
