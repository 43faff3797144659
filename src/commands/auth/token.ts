/** `boh auth token`: the token on stdout and nothing else, whatever the output format. */
import { Command } from 'commander';
import type { Context } from '../../interaction/context.ts';
import { presented } from '../../interaction/output/present.ts';
import { requireToken } from '../../settings/settings.ts';
import { prepare } from '../prepare.ts';

export function tokenCommand(context: Context): Command {
  return prepare(new Command('token'))
    .description('Print the token, for curl and other programs. Whoever has it can act in your name.')
    .addHelpText(
      'after',
      '\nExample:\n  curl -H "Authorization: Bearer $(boh auth token)" https://api.example.com/whoami',
    )
    .action(
      presented(context, async () => ({
        kind: 'text',
        text: `${requireToken(await context.settings()).reveal()}\n`,
      })),
    );
}
