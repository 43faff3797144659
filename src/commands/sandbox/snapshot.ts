/** `boh sandbox snapshot`: named copies of sandboxes. */

import { existsSync } from 'node:fs';
import type { Context } from '../../context/context.ts';
import { formatTimestamp } from '../../contract/moment.ts';
import { presented } from '../../output/present.ts';
import { messageResult, type Result } from '../../output/result.ts';
import { confirmAction } from '../../prompts/confirming/confirm-action.ts';
import {
  deleteSnapshot,
  existingSnapshot,
  listSnapshots,
  restoreSnapshot,
  saveSnapshot,
} from '../../sandbox/snapshots/snapshots.ts';
import { Command } from '../command.ts';
import { noWaitOption, type WaitFlags } from '../flags/shared-flags.ts';
import { prepare } from '../prepare.ts';
import { fileOf, lockSandbox, type NamedOptions, nameOption, sandboxName, withSandbox } from './named.ts';

export function snapshotCommand(context: Context): Command {
  return prepare(new Command('snapshot'))
    .description(
      'Save and restore snapshots of a sandbox. Running servers use a restored snapshot immediately.',
    )
    .addCommand(
      named('save', 'Save a snapshot; --yes replaces one of the same name', save, context).addOption(
        nameOption(),
      ),
    )
    .addCommand(
      named('restore', 'Restore a snapshot; asks first', restore, context)
        .addOption(nameOption())
        .addOption(noWaitOption()),
    )
    .addCommand(listCommand(context))
    .addCommand(named('delete', 'Delete a snapshot; asks first', remove, context));
}

type Action = (snapshot: string, options: NamedOptions, context: Context) => Promise<Result>;

function named(name: string, description: string, action: Action, context: Context): Command {
  return prepare(new Command(name))
    .description(description)
    .argument('<snapshot>', 'the name of the snapshot')
    .action(
      presented(context, (snapshot: string, options: NamedOptions) => action(snapshot, options, context)),
    );
}

async function save(snapshot: string, options: NamedOptions, context: Context): Promise<Result> {
  await withSandbox(context, options, ({ database }) =>
    saveSnapshot(context.env, snapshot, database.file, {
      isReplacing: context.globals.yes === true,
      signal: context.signal,
    }),
  );
  return messageResult(`Saved the sandbox "${await sandboxName(context, options)}" as ${snapshot}.`);
}

async function restore(
  snapshot: string,
  options: NamedOptions & WaitFlags,
  context: Context,
): Promise<Result> {
  existingSnapshot(context.env, snapshot);
  const name = await sandboxName(context, options);
  if (existsSync(await fileOf(context, options))) {
    const what = `restore the sandbox "${name}" from ${snapshot}`;
    await confirmAction({ action: what, consequence: 'All later changes are lost.' }, context);
  }
  // Opening creates the sandbox if it is missing, and upgrades it to this version.
  await withSandbox(context, options, () => {});
  const { api, env, signal } = context;
  const locks = await lockSandbox({ name, command: 'sandbox snapshot restore', flags: options }, context);
  await restoreSnapshot(env, snapshot, await fileOf(context, options), api, { signal });
  locks.release();
  return messageResult(`Restored the sandbox "${name}" from ${snapshot}.`);
}

function listCommand(context: Context): Command {
  return prepare(new Command('list'))
    .alias('ls')
    .description('List snapshots')
    .action(
      presented(context, async () => {
        const rows = listSnapshots(context.env).map(({ name, bytes, savedAt }) => ({
          name,
          bytes,
          saved_at: formatTimestamp(savedAt),
        }));
        return { kind: 'facts', facts: rows, key: 'name', ifNone: 'No snapshots yet.' };
      }),
    );
}

async function remove(snapshot: string, _: NamedOptions, context: Context): Promise<Result> {
  existingSnapshot(context.env, snapshot);
  const what = `delete the snapshot ${snapshot}`;
  await confirmAction({ action: what, consequence: 'Its content is lost.' }, context);
  deleteSnapshot(context.env, snapshot);
  return messageResult(`Deleted the snapshot ${snapshot}.`);
}
