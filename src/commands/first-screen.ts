/** `boh` by itself: all commands by name on one screen, and how to begin where nothing is set up yet. */
import type { Context } from '../context/context.ts';
import type { Api } from '../contract/api.ts';
import { showText } from '../output/show-value.ts';
import { choose } from '../prompts/terminal/prompts.ts';
import { wrapped } from '../terminal/wrap.ts';
import { headings, rootCommands } from './help.ts';

/** A window of the usual size shows all of it. */
const width = 79;

export async function showFirstScreen(context: Context): Promise<void> {
  const isNew = await isNothingSetUp(context);
  await showText(context, { text: firstScreen(context.api, isNew) });
  if (isNew) for (const line of (await firstSteps(context)) ?? []) await context.again(line);
}

function firstScreen(api: Api, isNew: boolean): string {
  const commands = rootCommands(api);
  const label = Math.max(...headings.map(([, title]) => title.length)) + 2;
  const sections = headings.flatMap(([group, title]) => {
    const names = commands.filter((it) => it.group === group).map(({ name }) => name);
    const lines = wrapped(names.join(' '), width - label - 2);
    return names.length === 0
      ? []
      : lines.map((line, index) => `  ${(index === 0 ? title : '').padEnd(label)}${line}`);
  });
  const begin = isNew
    ? `Nothing is set up yet. Without an account: boh --sandbox customers list
With one: boh auth login`
    : `boh customers list      boh find TEXT      boh customers create      boh doctor`;
  return `boh: the back office of a restaurant or shop, from the command line.

${sections.join('\n')}

${begin}
More: boh --help, boh <command> --help
`;
}

/** Damaged settings are for the command that needs them to tell. */
async function isNothingSetUp({ settings }: Context): Promise<boolean> {
  try {
    const { baseUrl, sandbox, profile } = await settings();
    return baseUrl === undefined && sandbox === undefined && profile === undefined;
  } catch {
    return false;
  }
}

/** What `boh` alone tries in the sandbox. */
const tour = ['customers', 'list'];

/**
 * The lines to run in place of one that needs an account: that line in the sandbox, or signing in and then that line.
 * Undefined where nobody can be asked, or wants neither.
 */
export async function firstSteps(
  { streams, globals }: Context,
  argv: readonly string[] = [],
): Promise<string[][] | undefined> {
  if (!streams.interactive || !streams.isTerminal.out || globals.yes) return undefined;
  const next = await choose(streams, {
    message: 'Nothing is set up yet. Try the sandbox now?',
    choices: [
      { label: 'Try the sandbox now: a demo restaurant on this machine', value: 'sandbox' as const },
      { label: 'Sign in to your business', value: 'sign in' as const },
      { label: 'Neither', value: 'neither' as const },
    ],
  });
  switch (next) {
    case 'sandbox':
      return [['--sandbox', ...(argv.length === 0 ? tour : argv)]];
    case 'sign in':
      return [['auth', 'login'], ...(argv.length === 0 ? [] : [[...argv]])];
    case 'neither':
      return undefined;
  }
}
