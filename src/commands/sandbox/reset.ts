/** `boh sandbox reset`: the demo business as on the first day, or nothing at all. */

import { existsSync } from 'node:fs';
import { Option } from 'commander';
import type { Context } from '../../context/context.ts';
import { presented } from '../../output/present.ts';
import { type Result, told } from '../../output/result.ts';
import { resetSandbox } from '../../sandbox/service.ts';
import { Command } from '../command.ts';
import { noWaitOption, type WaitFlags } from '../flags/wait-option.ts';
import { prepare } from '../prepare.ts';
import { confirmChange, fileOf, lockSandbox, type NamedOptions, nameOption, sandboxName } from './named.ts';

interface ResetOptions extends NamedOptions, WaitFlags {
  empty?: boolean;
}

export function resetCommand(context: Context): Command {
  return prepare(new Command('reset'))
    .description('Begin a sandbox anew, with the demo business. A damaged file is set aside.')
    .addOption(new Option('--empty', 'without the demo business: only the owner is there'))
    .addOption(nameOption())
    .addOption(noWaitOption())
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
  const { api, signal } = context;
  const locks = await lockSandbox({ name, command: 'sandbox reset', flags: options }, context);
  const aside = await resetSandbox({ api, file, empty: options.empty, signal });
  locks.release();
  const contents = options.empty ? 'empty' : 'with the demo business';
  return told(
    ...(aside ? [`The file that could not be used is now ${aside}`] : []),
    `The sandbox "${name}" begins anew, ${contents}.`,
  );
}
