/** `boh sandbox reset`: the demo business as on the first day, or nothing at all. */
import { existsSync } from 'node:fs';
import { Command, Option } from 'commander';
import type { Context } from '../../interaction/context.ts';
import { presented } from '../../interaction/output/present.ts';
import { type Result, told } from '../../interaction/output/result.ts';
import { prepare } from '../prepare.ts';
import { confirmChange } from './confirm-change.ts';
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
  if (existsSync(file)) {
    const what = `begin the sandbox "${name}" anew`;
    await confirmChange(context, { what, loss: 'all that was done in it goes' });
  }
  const { resetSandbox } = await import('../../sandbox/service.ts');
  const { api, signal } = context;
  const aside = await resetSandbox({ api, file, empty: options.empty, signal });
  const contents = options.empty ? 'empty' : 'with the demo business';
  return told(
    ...(aside ? [`The file that could not be used is now ${aside}`] : []),
    `The sandbox "${name}" begins anew, ${contents}.`,
  );
}
