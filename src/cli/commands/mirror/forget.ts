/** `boh mirror forget` removes records from the mirror, which later syncs skip; `boh mirror reset` deletes the mirror. */

import { formatTimestamp } from '../../../api/contract/date-time.ts';
import { usage } from '../../../base/errors.ts';
import { boh, type Hint } from '../../../base/hint.ts';
import { isSqliteError, StorageFailure } from '../../../base/storage/failures.ts';
import { findRemainingReferences, forget } from '../../../engine/mirror/forget.ts';
import { lockMirror } from '../../../engine/mirror/lock.ts';
import { requireResettable, resetMirror } from '../../../engine/mirror/reset.ts';
import { type MirroredResource, mirroredResources } from '../../../engine/mirror/schema/derive.ts';
import { openExistingStore, openReader } from '../../../engine/mirror/stores/open.ts';
import type { MirrorTarget } from '../../../engine/mirror/target.ts';
import type { Context } from '../../context/context.ts';
import { messageResult, type Result } from '../../output/result.ts';
import { formatCount } from '../../output/wording.ts';
import { confirmAction } from '../../prompts/confirm.ts';
import type { Command } from '../command.ts';
import { createCommand } from '../declare.ts';
import type { FlagsOf } from '../flags/flag-table.ts';
import { anyAccountFlag } from '../flags/shared-flags.ts';
import { mirrorFlag, requireOwnMirror, targetOf } from './target.ts';

const forgetFlags = [mirrorFlag, anyAccountFlag('remove records from a mirror of another account')] as const;

export function forgetCommand(context: Context): Command {
  return createCommand(context, {
    name: 'forget',
    summary: 'Remove records from the mirror permanently',
    about:
      "Remove records from the mirror permanently: later syncs skip them. Asks for confirmation; the account doesn't change.",
    args: [
      ['[resource]', 'such as customers'],
      ['[ids...]', 'the IDs of the records'],
    ],
    usage: '<resource> <id>... [flags]',
    flags: forgetFlags,
    examples: ['boh mirror forget customers 42'],
    dryRun: true,
    run: ([resource, ids], flags) => forgetRecords(resource, ids, flags, context),
  });
}

async function forgetRecords(
  resourceName: string | undefined,
  requestedIds: readonly string[],
  flags: FlagsOf<typeof forgetFlags>,
  context: Context,
): Promise<Result> {
  const ids = [...new Set(requestedIds)];
  const allResources = mirroredResources(context.api);
  const mirrored = allResources.find(
    ({ resource }) => resource === context.api.findResource(resourceName ?? ''),
  );
  if (!mirrored)
    throw usage(
      resourceName === undefined ? 'Missing the resource.' : `The mirror has no resource "${resourceName}".`,
      {
        hint: boh.mirror('mirror forget', 'customers', 'ID', '--yes'),
      },
    );
  if (ids.length === 0 || ids.includes('')) throw usage(`Missing the IDs of the ${mirrored.resource.nouns}.`);
  if (ids.some((id) => id.startsWith('@')))
    throw usage('mirror forget takes IDs, not names: a name can move to another record.', {
      hint: boh.hint`To find the ID: ${boh.account(`${mirrored.resource.command} get`, ids.find((id) => id.startsWith('@')) ?? '', '-o', 'id')}`,
    });
  const target = await targetOf(flags, context);
  await requireOwnMirror(() => openReader(target), flags, context);
  if (context.globals.dryRun)
    return messageResult(`Would remove ${formatCount(mirrored.resource, ids.length)} from the mirror.`);
  const { noun, nouns } = mirrored.resource;
  const recordText = ids.length === 1 ? `the ${noun} ${ids[0]}` : `${ids.length} ${nouns}`;
  await confirmAction({ action: `remove ${recordText} from the mirror permanently` }, context);
  const lock = await lockMirror(target, { shouldWait: true, signal: context.signal, env: context.env });
  try {
    const store = await openExistingStore(target, allResources);
    try {
      const results = await forget(store, { mirrored, ids, now: formatTimestamp(context.now()) });
      const references = await findRemainingReferences(store, allResources, mirrored, ids);
      return {
        kind: 'data',
        data: results,
        idField: 'id',
        columns: [{ name: 'resource' }, { name: 'id' }, { name: 'was_held', header: 'was in the mirror' }],
        notes: references.map(({ table, ids: rowIds }) => referenceNote(mirrored, table, rowIds)),
      };
    } finally {
      await store.close();
    }
  } finally {
    await lock.release();
  }
}

function referenceNote({ resource }: MirroredResource, table: string, ids: readonly string[]): Hint {
  return boh.hint`Rows of ${table} still refer to the ${resource.noun}. To remove them too: ${boh.mirror('mirror forget', table.replaceAll('_', '-'), ...ids)}`;
}

const resetFlags = [mirrorFlag, anyAccountFlag('delete a mirror of another account')] as const;

type ResetFlags = FlagsOf<typeof resetFlags>;

export function resetCommand(context: Context): Command {
  return createCommand(context, {
    name: 'reset',
    summary: 'Delete the mirror',
    about:
      "Delete the mirror; the next sync creates a new one. Asks for confirmation; the account doesn't change.",
    flags: resetFlags,
    examples: ['boh mirror reset --to sqlite:mirror.sqlite'],
    dryRun: true,
    run: (_, flags) => reset(flags, context),
  });
}

async function reset(flags: ResetFlags, context: Context): Promise<Result> {
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
