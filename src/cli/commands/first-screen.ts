/** `boh` without a command: lists all commands on one screen, and offers to set up boh the first time. */

import type { Api } from '../../api/contract/api.ts';
import type { Context } from '../context/context.ts';
import { showText } from '../output/show-value.ts';
import { promptsFor } from '../prompts/terminal/prompts.ts';
import { note } from '../terminal/messages.ts';
import { about, formatNamesByGroup, headings, rootCommands } from './help.ts';

/** Shows all commands. If nothing is set up yet, it also asks how to start. */
export async function showFirstScreen(context: Context): Promise<void> {
  const isNew = await hasNoAccount(context);
  await showText(context, { text: formatFirstScreen(context.api, isNew) });
  if (isNew) for (const line of (await chooseFirstSteps(context)) ?? []) await context.rerun(line);
}

function formatFirstScreen(api: Api, isNew: boolean): string {
  const hints = isNew
    ? `Nothing is set up yet. To try boh: boh --sandbox customers list
To sign in to your business: boh auth login`
    : 'boh customers list      boh find TEXT      boh customers create      boh doctor';
  return `${about}

${formatNamesByGroup(rootCommands(api), headings).join('\n')}

${hints}
More: boh --help, boh <command> --help
`;
}

/** Returns whether there is no account yet. Damaged settings are reported by the command that needs them. */
async function hasNoAccount({ settings }: Context): Promise<boolean> {
  try {
    const { baseUrl, sandbox, profile } = await settings();
    return baseUrl === undefined && sandbox === undefined && profile === undefined;
  } catch {
    return false;
  }
}

const sandboxHint =
  'This is the sandbox: add --sandbox to each command. To use it without the flag: boh profiles add demo --sandbox';

/** The command that runs in the sandbox if the command line is only `boh`. */
const firstSandboxCommand = ['customers', 'list'];

/**
 * Asks how to continue when nothing is set up. Returns the command lines to run instead of `argv`: the same command line
 * in the sandbox, or `auth login` and then the same command line. Undefined if the user cancels, or without a terminal.
 */
export async function chooseFirstSteps(
  { streams, globals }: Context,
  argv: readonly string[] = [],
): Promise<string[][] | undefined> {
  if (!streams.interactive || !streams.isTerminal.out || globals.yes) return undefined;
  const choice = await (await promptsFor(streams)).choose({
    message: 'Nothing is set up yet. What would you like to do?',
    choices: [
      { label: 'Try the sandbox: a demo restaurant on this machine', value: 'sandbox' as const },
      { label: 'Sign in to your business', value: 'sign in' as const },
      { label: 'Cancel', value: 'cancel' as const },
    ],
  });
  switch (choice) {
    case 'sandbox':
      note(streams, sandboxHint);
      return [['--sandbox', ...(argv.length === 0 ? firstSandboxCommand : argv)]];
    case 'sign in':
      return [['auth', 'login'], ...(argv.length === 0 ? [] : [[...argv]])];
    case 'cancel':
      return undefined;
  }
}
