/** `boh mirror forget RESOURCE ID...`: removes records from the mirror; later syncs skip them. */

import { usage } from '../../base/errors.ts';
import { boh, type Hint } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { formatTimestamp } from '../../contract/date-time.ts';
import { findRemainingReferences, forget } from '../../mirror/forget.ts';
import { lockMirror } from '../../mirror/lock.ts';
import { type MirroredResource, mirroredResources } from '../../mirror/schema/derive.ts';
import { openExistingStore, openReader } from '../../mirror/stores/open.ts';
import { createAction } from '../../output/present.ts';
import { messageResult, type Result } from '../../output/result.ts';
import { formatCount } from '../../output/wording.ts';
import { confirmAction } from '../../prompts/confirm.ts';
import { Command } from '../command.ts';
import { type AnyAccountFlag, anyAccountOption } from '../flags/shared-flags.ts';
import { prepare } from '../prepare.ts';
import { addMirrorFlag, type MirrorFlags, requireOwnMirror, targetOf } from './target.ts';

/** Returns the command `boh mirror forget`. */
export function forgetCommand(context: Context): Command {
  const command = prepare(new Command('forget').withDryRun())
    .argument('[resource]', 'such as customers')
    .argument('[ids...]', 'the IDs of the records')
    .usage('<resource> <id>... [flags]')
    .description(
      "Remove records from the mirror permanently: later syncs skip them. Asks for confirmation; the account doesn't change.",
    )
    .examples('boh mirror forget customers 42');
  addMirrorFlag(command).addOption(anyAccountOption('remove records from a mirror of another account'));
  return command.action(
    createAction(context, (resource: string | undefined, ids: string[]) =>
      run(resource, ids, command, context),
    ),
  );
}

async function run(
  resourceName: string | undefined,
  requestedIds: readonly string[],
  command: Command,
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
  const flags = command.opts<MirrorFlags & AnyAccountFlag>();
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
