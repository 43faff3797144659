/** `boh mirror forget RESOURCE ID...`: removes records from the mirror; later syncs skip them. */

import { usage } from '../../base/errors.ts';
import { boh, type Hint } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { formatTimestamp } from '../../contract/moment.ts';
import { forget, remainingReferences } from '../../mirror/forget.ts';
import { lockMirror } from '../../mirror/lock.ts';
import { type Mirrored, mirroredResources } from '../../mirror/schema/derive.ts';
import { openExisting, openReader } from '../../mirror/stores/open.ts';
import { presented } from '../../output/present.ts';
import { messageResult, type Result } from '../../output/result.ts';
import { counted } from '../../output/wording.ts';
import { confirmAction } from '../../prompts/confirming/confirm-action.ts';
import { Command } from '../command.ts';
import { type AnyAccountFlag, anyAccountOption } from '../flags/shared-flags.ts';
import { prepare } from '../prepare.ts';
import { addMirrorFlag, type MirrorFlags, requireOwnAt, targetOf } from './target.ts';

/** Returns the command `boh mirror forget`. */
export function forgetCommand(context: Context): Command {
  const command = prepare(new Command('forget'))
    .argument('[resource]', 'such as customers')
    .argument('[ids...]', 'the IDs of the records')
    .usage('<resource> <id>... [flags]')
    .description(
      "Remove records from the mirror permanently: later syncs skip them. Asks for confirmation; the account doesn't change.",
    )
    .examples('boh mirror forget customers 42');
  addMirrorFlag(command).addOption(anyAccountOption('remove records from a mirror of another account'));
  return command.action(
    presented(context, (resource: string | undefined, ids: string[]) => run(resource, ids, command, context)),
  );
}

async function run(
  word: string | undefined,
  given: readonly string[],
  command: Command,
  context: Context,
): Promise<Result> {
  const ids = [...new Set(given)];
  const all = mirroredResources(context.api);
  const target = all.find(({ resource }) => resource === context.api.findResource(word ?? ''));
  if (!target)
    throw usage(word === undefined ? 'Missing the resource.' : `The mirror has no resource "${word}".`, {
      hint: boh.mirror('mirror forget', 'customers', 'ID', '--yes'),
    });
  if (ids.length === 0 || ids.includes('')) throw usage(`Missing the IDs of the ${target.resource.nouns}.`);
  if (ids.some((id) => id.startsWith('@')))
    throw usage('mirror forget takes IDs, not names: a name can move to another record.', {
      hint: boh.hint`To find the ID: ${boh.account(`${target.resource.command} get`, ids.find((id) => id.startsWith('@')) ?? '', '-o', 'id')}`,
    });
  const flags = command.opts<MirrorFlags & AnyAccountFlag>();
  const location = await targetOf(flags, context);
  await requireOwnAt(() => openReader(location, all), flags, context);
  if (context.globals.dryRun)
    return messageResult(`Would remove ${counted(target.resource, ids.length)} from the mirror.`);
  const { noun, nouns } = target.resource;
  const which = ids.length === 1 ? `the ${noun} ${ids[0]}` : `${ids.length} ${nouns}`;
  await confirmAction({ action: `remove ${which} from the mirror permanently` }, context);
  const lock = await lockMirror(location, { isWaiting: true, signal: context.signal, env: context.env });
  try {
    const store = await openExisting(location, all);
    try {
      const facts = await forget(store, { mirrored: target, ids, now: formatTimestamp(context.now()) });
      const references = await remainingReferences(store, all, target, ids);
      return {
        kind: 'facts',
        facts,
        key: 'id',
        columns: ['resource', 'id', 'was_held'].map((name) => ({ name })),
        notes: references.map(({ table, ids: others }) => referenceNote(target, table, others)),
      };
    } finally {
      await store.close();
    }
  } finally {
    await lock.release();
  }
}

function referenceNote({ resource }: Mirrored, table: string, ids: readonly string[]): Hint {
  return boh.hint`Rows of ${table} still refer to the ${resource.noun}. To remove them too: ${boh.mirror('mirror forget', table.replaceAll('_', '-'), ...ids)}`;
}
