/** `boh mirror reset`: deletes the mirror; the next sync creates a new one. */

import type { Context } from '../../context/context.ts';
import { lockMirror } from '../../mirror/lock.ts';
import { requireResettable, resetMirror } from '../../mirror/reset.ts';
import { mirroredResources } from '../../mirror/schema/derive.ts';
import { openReader } from '../../mirror/stores/open.ts';
import type { MirrorTarget } from '../../mirror/target.ts';
import { createAction } from '../../output/present.ts';
import { messageResult, type Result } from '../../output/result.ts';
import { confirmAction } from '../../prompts/confirm.ts';
import { isSqliteError, StorageFailure } from '../../storage/failures.ts';
import { Command } from '../command.ts';
import { type AnyAccountFlag, anyAccountOption } from '../flags/shared-flags.ts';
import { prepare } from '../prepare.ts';
import { addMirrorFlag, type MirrorFlags, requireOwnMirror, targetOf } from './target.ts';

type ResetFlags = MirrorFlags & AnyAccountFlag;

/** Returns the command `boh mirror reset`. */
export function resetCommand(context: Context): Command {
  const command = prepare(new Command('reset').withDryRun())
    .description(
      "Delete the mirror; the next sync creates a new one. Asks for confirmation; the account doesn't change.",
    )
    .examples('boh mirror reset --to sqlite:mirror.sqlite');
  addMirrorFlag(command).addOption(anyAccountOption('delete a mirror of another account'));
  return command.action(createAction(context, (flags: ResetFlags) => run(flags, context)));
}

async function run(flags: ResetFlags, context: Context): Promise<Result> {
  const target = await targetOf(flags, context);
  const { label } = target;
  // This is checked before the confirmation, and before a lock file is created next to the mirror.
  requireResettable(target);
  await requireOwnIfReadable(target, flags, context);
  if (context.globals.dryRun) return messageResult(`Would delete the mirror ${label}.`);
  await confirmAction({ action: `delete the mirror ${label}` }, context);
  const lock = await lockMirror(target, { shouldWait: false, signal: context.signal, env: context.env });
  try {
    const newPath = await resetMirror(target, mirroredResources(context.api));
    return messageResult(
      ...(newPath === undefined ? [] : [`The damaged file was renamed to ${newPath}`]),
      `Mirror ${label} deleted. The next sync creates a new one.`,
    );
  } finally {
    await lock.release();
  }
}

/** Throws if the mirror belongs to another account. The owner of a damaged mirror is unknown: it can be deleted. */
async function requireOwnIfReadable(
  target: MirrorTarget,
  flags: ResetFlags,
  context: Context,
): Promise<void> {
  try {
    await requireOwnMirror(() => openReader(target, { allowsAnyVersion: true }), flags, context);
  } catch (error) {
    const isDamaged = error instanceof StorageFailure && error.problem === 'damaged';
    // A missing table is reported as an SQLite error.
    if (!isDamaged && !isSqliteError(error)) throw error;
  }
}
