/** `boh sandbox reset`: the demo business as on the first day, or nothing at all. */
import { existsSync } from 'node:fs';
import { Command, Option } from 'commander';
import { Failure, usage } from '../../errors.ts';
import type { Context } from '../../interaction/context.ts';
import { presented } from '../../interaction/output/present.ts';
import { type Result, told } from '../../interaction/output/result.ts';
import { prepare } from '../prepare.ts';
import { fileOf, type NamedOptions, nameOption, sandboxName } from './named.ts';

interface ResetOptions extends NamedOptions {
  empty?: boolean;
}

export function resetCommand(context: Context): Command {
  return prepare(new Command('reset'))
    .description('Begin a sandbox anew, with the demo business. A damaged file is set aside.')
    .addOption(new Option('--empty', 'without the demo business: only the owner is there'))
    .addOption(nameOption())
    .addHelpText('after', '\nIt asks first; away from a terminal it needs --yes.')
    .action(presented(context, (options: ResetOptions) => reset(options, context)));
}

async function reset(options: ResetOptions, context: Context): Promise<Result> {
  const name = await sandboxName(context, options);
  const file = await fileOf(context, { name });
  if (existsSync(file)) await confirmReset(name, context);
  const { resetSandbox } = await import('../../sandbox/service.ts');
  const { api, signal } = context;
  const aside = await resetSandbox({ api, file, empty: options.empty, signal });
  const contents = options.empty ? 'empty' : 'with the demo business';
  return told(
    ...(aside ? [`The file that could not be used is now ${aside}`] : []),
    `The sandbox "${name}" begins anew, ${contents}.`,
  );
}

/** All that was done in it goes. */
async function confirmReset(name: string, { streams, globals }: Context): Promise<void> {
  if (globals.yes) return;
  if (!streams.interactive) {
    throw usage(`To begin the sandbox "${name}" anew, add --yes: all that was done in it goes.`, {
      hint: 'There is no terminal to ask on.',
    });
  }
  const { confirm } = await import('../../terminal/prompts.ts');
  const message = `Begin the sandbox "${name}" anew? All that was done in it goes.`;
  if (!(await confirm(streams, { message }))) throw new Failure('interrupted', 'Nothing was done.');
}
