/** `boh sandbox snapshot`: saves, lists, restores and deletes named copies of sandboxes. */

import { existsSync } from 'node:fs';
import type { Context } from '../../context/context.ts';
import { formatTimestamp } from '../../contract/date-time.ts';
import { createAction } from '../../output/present.ts';
import { messageResult, type Result } from '../../output/result.ts';
import { confirmAction } from '../../prompts/confirm.ts';
import {
  deleteSnapshot,
  listSnapshots,
  requireSnapshot,
  restoreSnapshot,
  saveSnapshot,
} from '../../sandbox/snapshots/snapshots.ts';
import { Command } from '../command.ts';
import { noWaitOption, type WaitFlags } from '../flags/shared-flags.ts';
import { prepare } from '../prepare.ts';
import {
  lockSandbox,
  type NamedOptions,
  nameOption,
  sandboxFileOf,
  sandboxName,
  withSandbox,
} from './with-sandbox.ts';

/** Returns the command `boh sandbox snapshot` with its subcommands. */
export function snapshotCommand(context: Context): Command {
  return prepare(new Command('snapshot'))
    .description(
      'Save and restore snapshots of a sandbox. Running servers use a restored snapshot immediately.',
    )
    .addCommand(
      actionCommand(
        'save',
        'Save a snapshot; --yes replaces a snapshot with the same name',
        runSave,
        context,
      ).addOption(nameOption()),
    )
    .addCommand(
      actionCommand('restore', 'Restore a snapshot; asks for confirmation', runRestore, context)
        .addOption(nameOption())
        .addOption(noWaitOption()),
    )
    .addCommand(listCommand(context))
    .addCommand(actionCommand('delete', 'Delete a snapshot; asks for confirmation', runDelete, context));
}

type SnapshotAction = (snapshot: string, options: NamedOptions, context: Context) => Promise<Result>;

function actionCommand(name: string, description: string, action: SnapshotAction, context: Context): Command {
  return prepare(new Command(name))
    .description(description)
    .argument('<snapshot>', 'the name of the snapshot')
    .action(
      createAction(context, (snapshot: string, options: NamedOptions) => action(snapshot, options, context)),
    );
}

async function runSave(snapshot: string, options: NamedOptions, context: Context): Promise<Result> {
  await withSandbox(context, options, ({ database }) =>
    saveSnapshot(context.env, snapshot, database.file, {
      isReplacing: context.globals.yes === true,
      signal: context.signal,
    }),
  );
  return messageResult(`Saved snapshot ${snapshot} of the sandbox "${await sandboxName(context, options)}".`);
}

async function runRestore(
  snapshot: string,
  options: NamedOptions & WaitFlags,
  context: Context,
): Promise<Result> {
  requireSnapshot(context.env, snapshot);
  const name = await sandboxName(context, options);
  if (existsSync(await sandboxFileOf(context, options))) {
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

function listCommand(context: Context): Command {
  return prepare(new Command('list'))
    .alias('ls')
    .description('List snapshots')
    .action(
      createAction(context, async () => {
        const rows = listSnapshots(context.env).map(({ name, bytes, savedAt }) => ({
          name,
          bytes,
          saved_at: formatTimestamp(savedAt),
        }));
        return { kind: 'data', data: rows, idField: 'name', emptyNote: 'No snapshots yet.' };
      }),
    );
}

async function runDelete(snapshot: string, _: NamedOptions, context: Context): Promise<Result> {
  requireSnapshot(context.env, snapshot);
  const action = `delete the snapshot ${snapshot}`;
  await confirmAction({ action, consequence: 'Its content is lost.' }, context);
  deleteSnapshot(context.env, snapshot);
  return messageResult(`Deleted the snapshot ${snapshot}.`);
}
