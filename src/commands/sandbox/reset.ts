/** `boh sandbox reset`: replaces a sandbox with the demo business or an empty one. */

import { existsSync } from 'node:fs';
import { Option } from 'commander';
import type { Context } from '../../context/context.ts';
import { createAction } from '../../output/present.ts';
import { messageResult, type Result } from '../../output/result.ts';
import { confirmAction } from '../../prompts/confirm.ts';
import { setBranchCount } from '../../sandbox/demo/branches.ts';
import { resetSandbox } from '../../sandbox/reset.ts';
import { Command } from '../command.ts';
import { noWaitOption, type WaitFlags } from '../flags/shared-flags.ts';
import { prepare } from '../prepare.ts';
import { branchesOption } from './branches-option.ts';
import {
  lockSandbox,
  type NamedOptions,
  nameOption,
  sandboxFileOf,
  sandboxName,
  withSandboxFile,
} from './with-sandbox.ts';

interface ResetOptions extends NamedOptions, WaitFlags {
  empty?: boolean;
  branches?: number;
}

/** Returns the command `boh sandbox reset`. */
export function resetCommand(context: Context): Command {
  return prepare(new Command('reset'))
    .description('Reset a sandbox to the demo business. Asks for confirmation. A damaged file is renamed.')
    .addOption(new Option('--empty', 'start without the demo business'))
    .addOption(branchesOption())
    .addOption(nameOption())
    .addOption(noWaitOption())
    .action(createAction(context, (options: ResetOptions) => run(options, context)));
}

async function run(options: ResetOptions, context: Context): Promise<Result> {
  const name = await sandboxName(context, options);
  const file = await sandboxFileOf(context, { name });
  const { api, signal } = context;
  const { branches, empty } = options;
  const setBranches = async (path: string) => {
    if (branches === undefined) return;
    await withSandboxFile({ api, file: path, empty, signal }, (sandbox) =>
      setBranchCount(sandbox, branches, { isEmpty: empty === true }),
    );
  };
  // This runs before data is deleted, because the new sandbox may not support that number of branches.
  await setBranches(':memory:');
  if (existsSync(file)) {
    const action = `reset the sandbox "${name}"`;
    await confirmAction({ action, consequence: 'All changes in it are lost.' }, context);
  }
  const locks = await lockSandbox({ name, command: 'sandbox reset', flags: options }, context);
  const newPath = await resetSandbox({ api, file, empty, signal });
  await setBranches(file);
  locks.release();
  const contents = empty ? 'empty' : 'with the demo business';
  return messageResult(
    ...(newPath ? [`The damaged file was renamed to ${newPath}`] : []),
    `Reset the sandbox "${name}", ${contents}.`,
  );
}
