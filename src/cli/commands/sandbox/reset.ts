/** `boh sandbox reset` and `boh sandbox snapshot`: replace the contents of a sandbox with demo data or an earlier copy. */
import { existsSync } from 'node:fs';
import { formatTimestamp } from '../../../api/contract/date-time.ts';
import { controlOperations } from '../../../sandbox/control/operations.ts';
import { setBranchCount } from '../../../sandbox/demo/from-contract.ts';
import { resetSandbox } from '../../../sandbox/service.ts';
import { listSnapshots, requireSnapshot } from '../../../sandbox/snapshots/snapshots.ts';
import type { Context } from '../../context/context.ts';
import { messageResult, type Result } from '../../output/result.ts';
import { confirmAction } from '../../prompts/confirm.ts';
import type { Command } from '../command.ts';
import { createCommand, groupCommand } from '../declare.ts';
import type { FlagsOf } from '../flags/flag-table.ts';
import { noWaitFlag } from '../flags/shared-flags.ts';
import { control, serverUrl } from './control.ts';
import { branchesFlag } from './serve.ts';
import {
  lockSandbox,
  type NamedOptions,
  requireSandboxFile,
  sandboxFileOf,
  sandboxName,
  serverFlag,
  withSandboxFile,
} from './with-sandbox.ts';

const resetFlags = [
  ['--empty', 'start without the demo business'],
  branchesFlag,
  serverFlag,
  noWaitFlag,
] as const;

export function resetCommand(context: Context): Command {
  return createCommand(context, {
    name: 'reset',
    summary: 'Reset a sandbox to the demo data',
    about: 'Reset a sandbox to the demo business. Asks for confirmation. A damaged file is renamed.',
    flags: resetFlags,
    run: (_, options) => reset(options, context),
  });
}

async function reset(options: FlagsOf<typeof resetFlags>, context: Context): Promise<Result> {
  if (serverUrl(options, context) !== undefined) return resetServer(options, context);
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
  const isNew = !existsSync(file);
  if (!isNew) {
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
    `${isNew ? 'Created' : 'Reset'} the sandbox "${name}", ${contents}.`,
  );
}

async function resetServer(options: FlagsOf<typeof resetFlags>, context: Context): Promise<Result> {
  const sandbox = await describeSandbox(options, context);
  await confirmAction({ action: `reset ${sandbox}`, consequence: 'All changes in it are lost.' }, context);
  const from = options.empty ? 'empty' : 'demo';
  await control(controlOperations.reset, { from, branches: options.branches }, options, context);
  return messageResult(`Reset ${sandbox}, ${options.empty ? 'empty' : 'with the demo business'}.`);
}

const snapshotArgument = ['<snapshot>', 'the name of the snapshot'] as const;

/** Returns the command `boh sandbox snapshot` with its subcommands. */
export function snapshotCommand(context: Context): Command {
  const { env, globals } = context;
  const about =
    'Save and restore snapshots of a sandbox. Running servers use a restored snapshot immediately.';
  const group = groupCommand('snapshot', about, [
    createCommand(context, {
      name: 'save',
      about: 'Save a snapshot; --yes replaces a snapshot with the same name',
      args: [snapshotArgument],
      flags: [serverFlag],
      run: async ([name], options) => {
        const replace = globals.yes === true;
        await control(controlOperations.saveSnapshot, { name, replace }, options, context);
        return messageResult(`Saved snapshot ${name} of ${await describeSandbox(options, context)}.`);
      },
    }),
    createCommand(context, {
      name: 'restore',
      about: 'Restore a snapshot; asks for confirmation',
      args: [snapshotArgument],
      flags: [serverFlag, noWaitFlag],
      run: ([snapshot], options) => restore(snapshot, options, context),
    }),
    createCommand(context, {
      name: 'list',
      alias: 'ls',
      about: 'List snapshots',
      flags: [serverFlag],
      run: async (_, options) => {
        // Snapshots of files belong to no account.
        const snapshots =
          serverUrl(options, context) === undefined
            ? listSnapshots(env).map(({ savedAt, ...snapshot }) => ({ ...snapshot, saved_at: savedAt }))
            : await control(controlOperations.listSnapshots, {}, options, context);
        const data = snapshots.map(({ saved_at, ...snapshot }) => ({
          ...snapshot,
          saved_at: formatTimestamp(new Date(saved_at)),
        }));
        return { kind: 'data', data, idField: 'name', emptyNote: 'No snapshots yet.' };
      },
    }),
    createCommand(context, {
      name: 'delete',
      about: 'Delete a snapshot; asks for confirmation',
      args: [snapshotArgument],
      flags: [serverFlag],
      run: async ([name], options) => {
        if (serverUrl(options, context) === undefined) requireSnapshot(env, name);
        const action = `delete the snapshot ${name}`;
        await confirmAction({ action, consequence: 'Its content is lost.' }, context);
        await control(controlOperations.deleteSnapshot, { name }, options, context);
        return messageResult(`Deleted the snapshot ${name}.`);
      },
    }),
  ]);
  return group.summary('Save, list and restore snapshots of a sandbox').usage('[options] [command]');
}

async function restore(
  snapshot: string,
  options: FlagsOf<readonly [typeof serverFlag, typeof noWaitFlag]>,
  context: Context,
): Promise<Result> {
  const sandbox = await describeSandbox(options, context);
  const isServer = serverUrl(options, context) !== undefined;
  if (!isServer) requireSnapshot(context.env, snapshot);
  if (isServer || existsSync(await requireSandboxFile(context, options))) {
    const action = `restore ${sandbox} from ${snapshot}`;
    await confirmAction({ action, consequence: 'All later changes are lost.' }, context);
  }
  const restoreIt = () => control(controlOperations.restoreSnapshot, { name: snapshot }, options, context);
  await whileLocked('sandbox snapshot restore', options, context, restoreIt);
  return messageResult(`Restored ${sandbox} from ${snapshot}.`);
}

/** Does work while no run writes to the sandbox. Runs of other machines in a server aren't known here. */
async function whileLocked(
  command: string,
  options: FlagsOf<readonly [typeof serverFlag, typeof noWaitFlag]>,
  context: Context,
  work: () => Promise<unknown>,
): Promise<void> {
  if (serverUrl(options, context) !== undefined) {
    await work();
    return;
  }
  const name = await sandboxName(context, options);
  const locks = await lockSandbox({ name, command, flags: options }, context);
  await work();
  locks.release();
}

async function describeSandbox(options: NamedOptions, context: Context): Promise<string> {
  const url = serverUrl(options, context);
  return url === undefined ? `the sandbox "${await sandboxName(context, options)}"` : `the sandbox at ${url}`;
}
