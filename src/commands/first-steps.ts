/** Where nothing is set up yet: a person is asked whether to try the sandbox or to sign in. */
import type { Context } from '../interaction/context.ts';

/** Damaged settings are for the command that needs them to tell. */
export async function isNothingSetUp({ settings }: Context): Promise<boolean> {
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
  const { choose } = await import('../terminal/prompts.ts');
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
