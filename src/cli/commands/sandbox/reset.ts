/** `boh sandbox reset` and `boh sandbox snapshot`: replace the contents of a sandbox with demo data or an earlier copy. */
import { existsSync } from 'node:fs';
import { formatTimestamp } from '../../../api/contract/date-time.ts';
import { setBranchCount } from '../../../sandbox/demo/from-contract.ts';
import { resetSandbox } from '../../../sandbox/service.ts';
import {
  deleteSnapshot,
  listSnapshots,
  requireSnapshot,
  restoreSnapshot,
  saveSnapshot,
} from '../../../sandbox/snapshots/snapshots.ts';
import type { Context } from '../../context/context.ts';
import { messageResult, type Result } from '../../output/result.ts';
import { confirmAction } from '../../prompts/confirm.ts';
import type { Command } from '../command.ts';
import { createCommand, groupCommand } from '../declare.ts';
import type { FlagsOf } from '../flags/flag-table.ts';
import { noWaitFlag } from '../flags/shared-flags.ts';
import { branchesFlag } from './serve.ts';
import {
  lockSandbox,
  nameFlag,
  requireSandboxFile,
  sandboxFileOf,
  sandboxName,
  withSandbox,
  withSandboxFile,
} from './with-sandbox.ts';

const resetFlags = [
  ['--empty', 'start without the demo business'],
  branchesFlag,
  nameFlag,
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

const snapshotArgument = ['<snapshot>', 'the name of the snapshot'] as const;

/** Returns the command `boh sandbox snapshot` with its subcommands. */
export function snapshotCommand(context: Context): Command {
  const { env, globals, signal } = context;
  const about =
    'Save and restore snapshots of a sandbox. Running servers use a restored snapshot immediately.';
  const group = groupCommand('snapshot', about, [
    createCommand(context, {
      name: 'save',
      about: 'Save a snapshot; --yes replaces a snapshot with the same name',
      args: [snapshotArgument],
      flags: [nameFlag],
      run: async ([snapshot], options) => {
        await withSandbox(context, options, ({ database }) =>
          saveSnapshot(env, snapshot, database.file, { isReplacing: globals.yes === true, signal }),
        );
        const name = await sandboxName(context, options);
        return messageResult(`Saved snapshot ${snapshot} of the sandbox "${name}".`);
      },
    }),
    createCommand(context, {
      name: 'restore',
      about: 'Restore a snapshot; asks for confirmation',
      args: [snapshotArgument],
      flags: [nameFlag, noWaitFlag],
      run: ([snapshot], options) => restore(snapshot, options, context),
    }),
    createCommand(context, {
      name: 'list',
      alias: 'ls',
      about: 'List snapshots',
      run: () => {
        const data = listSnapshots(env).map(({ name, bytes, savedAt }) => ({
          name,
          bytes,
          saved_at: formatTimestamp(savedAt),
        }));
        return { kind: 'data', data, idField: 'name', emptyNote: 'No snapshots yet.' };
      },
    }),
    createCommand(context, {
      name: 'delete',
      about: 'Delete a snapshot; asks for confirmation',
      args: [snapshotArgument],
      run: async ([snapshot]) => {
        requireSnapshot(env, snapshot);
        const action = `delete the snapshot ${snapshot}`;
        await confirmAction({ action, consequence: 'Its content is lost.' }, context);
        deleteSnapshot(env, snapshot);
        return messageResult(`Deleted the snapshot ${snapshot}.`);
      },
    }),
  ]);
  return group.summary('Save, list and restore snapshots of a sandbox').usage('[options] [command]');
}

async function restore(
  snapshot: string,
  options: FlagsOf<readonly [typeof nameFlag, typeof noWaitFlag]>,
  context: Context,
): Promise<Result> {
  requireSnapshot(context.env, snapshot);
  const name = await sandboxName(context, options);
  if (existsSync(await requireSandboxFile(context, options))) {
    const action = `restore the sandbox "${name}" from ${snapshot}`;
    await confirmAction({ action, consequence: 'All later changes are lost.' }, context);
  }
  // Opening creates the sandbox if it is missing.
  await withSandbox(context, options, () => {});
  const { api, env, signal } = context;
  const locks = await lockSandbox({ name, command: 'sandbox snapshot restore', flags: options }, context);
  await restoreSnapshot(env, snapshot, await sandboxFileOf(context, options), api, { signal });
  locks.release();
  return messageResult(`Restored the sandbox "${name}" from ${snapshot}.`);
}
