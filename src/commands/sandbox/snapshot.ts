/** `boh sandbox snapshot`: copies of sandboxes under names, to go back to. */

import { existsSync } from 'node:fs';
import type { Context } from '../../context/context.ts';
import { formatTimestamp } from '../../contract/moment.ts';
import { presented } from '../../output/present.ts';
import { type Result, told } from '../../output/result.ts';
import {
  deleteSnapshot,
  existingSnapshot,
  listSnapshots,
  restoreSnapshot,
  saveSnapshot,
} from '../../sandbox/snapshots/snapshots.ts';
import { Command } from '../command.ts';
import { noWaitOption, type WaitFlags } from '../flags/wait-option.ts';
import { prepare } from '../prepare.ts';
import {
  confirmChange,
  fileOf,
  lockSandbox,
  type NamedOptions,
  nameOption,
  sandboxName,
  withSandbox,
} from './named.ts';

export function snapshotCommand(context: Context): Command {
  return prepare(new Command('snapshot'))
    .description(
      'Keep a copy of a sandbox under a name, and go back to it. Servers of the sandbox follow at once.',
    )
    .addCommand(
      named('save', 'Keep a copy; --yes replaces one of the same name', save, context).addOption(
        nameOption(),
      ),
    )
    .addCommand(
      named('restore', 'Make the sandbox what it was', restore, context)
        .addOption(nameOption())
        .addOption(noWaitOption())
        .addHelpText('after', asksFirst),
    )
    .addCommand(listCommand(context))
    .addCommand(named('delete', 'Throw a copy away', remove, context).addHelpText('after', asksFirst));
}

const asksFirst = '\nIt asks first; away from a terminal it needs --yes.';

type Action = (snapshot: string, options: NamedOptions, context: Context) => Promise<Result>;

function named(name: string, description: string, action: Action, context: Context): Command {
  return prepare(new Command(name))
    .description(description)
    .argument('<snapshot>', 'its name')
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
  return told(`The sandbox "${await sandboxName(context, options)}" is kept as ${snapshot}.`);
}

async function restore(
  snapshot: string,
  options: NamedOptions & WaitFlags,
  context: Context,
): Promise<Result> {
  existingSnapshot(context.env, snapshot);
  const name = await sandboxName(context, options);
  if (existsSync(await fileOf(context, options))) {
    const what = `make the sandbox "${name}" what ${snapshot} was`;
    await confirmChange(context, { what, loss: 'all that was done in it since goes' });
  }
  // Opened once, so that it is there, and is a sandbox of this version.
  await withSandbox(context, options, () => {});
  const { api, env, signal } = context;
  const locks = await lockSandbox({ name, command: 'sandbox snapshot restore', flags: options }, context);
  await restoreSnapshot(env, snapshot, await fileOf(context, options), api, { signal });
  locks.release();
  return told(`The sandbox "${name}" is again what ${snapshot} was.`);
}

function listCommand(context: Context): Command {
  return prepare(new Command('list'))
    .alias('ls')
    .description('Show the copies that are kept')
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
  await confirmChange(context, { what, loss: 'what is kept in it goes' });
  deleteSnapshot(context.env, snapshot);
  return told(`The snapshot ${snapshot} is deleted.`);
}
