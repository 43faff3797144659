/** `boh auth …`: signing in, and what is known of the token. */
import { Command } from 'commander';
import type { Context } from '../context.ts';
import { groupCommand, type Subcommand } from '../group.ts';

const subcommands: readonly Subcommand[] = [
  {
    name: 'login',
    summary: 'Sign in through the browser, or store a token',
    load: async (context) => (await import('./login.ts')).loginCommand(context),
  },
  {
    name: 'status',
    summary: 'Show who is signed in, where, and with which scopes',
    load: async (context) => (await import('./status.ts')).statusCommand(context),
  },
  {
    name: 'logout',
    summary: 'Forget the token of a profile',
    load: async (context) => (await import('./logout.ts')).logoutCommand(context),
  },
  {
    name: 'token',
    summary: 'Print the token, for curl and other programs',
    load: async (context) => (await import('./token.ts')).tokenCommand(context),
  },
  {
    name: 'scopes',
    summary: 'Show which commands the token allows',
    load: async (context) => (await import('./scopes.ts')).scopesCommand(context),
  },
  {
    name: 'can',
    summary: 'Say whether the token allows a command',
    load: async (context) => (await import('./can.ts')).canCommand(context),
  },
];

export function authCommand(context: Context, words: readonly string[]): Promise<Command> {
  const group = new Command('auth').description('Sign in, and see who you are and what you may do.');
  return groupCommand(group, subcommands, context, words);
}
