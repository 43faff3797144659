/** `boh sandbox reset`: replaces a sandbox by the demo business, or by an empty one. */

import { existsSync } from 'node:fs';
import { Option } from 'commander';
import type { Context } from '../../context/context.ts';
import { presented } from '../../output/present.ts';
import { messageResult, type Result } from '../../output/result.ts';
import { confirmAction } from '../../prompts/confirming/confirm-action.ts';
import { setBranchCount } from '../../sandbox/demo/branches.ts';
import { resetSandbox } from '../../sandbox/service.ts';
import { Command } from '../command.ts';
import { noWaitOption, type WaitFlags } from '../flags/shared-flags.ts';
import { prepare } from '../prepare.ts';
import { branchesOption } from './branches-option.ts';
import { fileOf, inSandbox, lockSandbox, type NamedOptions, nameOption, sandboxName } from './named.ts';

interface ResetOptions extends NamedOptions, WaitFlags {
  empty?: boolean;
  branches?: number;
}

export function resetCommand(context: Context): Command {
  return prepare(new Command('reset'))
    .description('Reset a sandbox to the demo business. Asks first. A damaged file is renamed.')
    .addOption(new Option('--empty', 'without the demo business: only the owner'))
    .addOption(branchesOption())
    .addOption(nameOption())
    .addOption(noWaitOption())
    .action(presented(context, (options: ResetOptions) => reset(options, context)));
}

async function reset(options: ResetOptions, context: Context): Promise<Result> {
  const name = await sandboxName(context, options);
  const file = await fileOf(context, { name });
  const { api, signal } = context;
  const { branches, empty } = options;
  const setBranches = async (at: string) => {
    if (branches === undefined) return;
    await inSandbox({ api, file: at, empty, signal }, (sandbox) =>
      setBranchCount(sandbox, branches, { isEmpty: empty === true }),
    );
  };
  // Before anything is lost: the new sandbox may not have room for that number of branches.
  await setBranches(':memory:');
  if (existsSync(file)) {
    const what = `reset the sandbox "${name}"`;
    await confirmAction({ action: what, consequence: 'All changes in it are lost.' }, context);
  }
  const locks = await lockSandbox({ name, command: 'sandbox reset', flags: options }, context);
  const aside = await resetSandbox({ api, file, empty, signal });
  await setBranches(file);
  locks.release();
  const contents = empty ? 'empty' : 'with the demo business';
  return messageResult(
    ...(aside ? [`The damaged file was renamed to ${aside}`] : []),
    `Reset the sandbox "${name}", ${contents}.`,
  );
}
