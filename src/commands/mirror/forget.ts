/** `boh mirror forget RESOURCE ID...`: records go from the copy, and later syncs don’t bring them back. */

import { Failure, usage } from '../../base/errors.ts';
import { boh, type Hint } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { formatTimestamp } from '../../contract/moment.ts';
import { forget, remainingReferences } from '../../mirror/forget.ts';
import { lockMirror } from '../../mirror/lock.ts';
import { type Mirrored, mirroredResources } from '../../mirror/schema/derive.ts';
import { openExisting, openReader } from '../../mirror/stores/open.ts';
import { presented } from '../../output/present.ts';
import { type Result, told } from '../../output/result.ts';
import { confirm } from '../../prompts/terminal/prompts.ts';
import { Command } from '../command.ts';
import { type AnyAccountFlag, anyAccountOption } from '../flags/any-account.ts';
import { prepare } from '../prepare.ts';
import { addPlaceFlag, demandOwnAt, type PlaceFlags, targetOf } from './place.ts';

export function forgetCommand(context: Context): Command {
  const command = prepare(new Command('forget'))
    .argument('[resource]', 'such as customers')
    .argument('[ids...]', 'ids of the records')
    .usage('<resource> <id>... [flags]')
    .description(
      'Let records go from the copy for good: later syncs leave them out, though the account still shows them.',
    );
  addPlaceFlag(command).addOption(anyAccountOption());
  command.addHelpText(
    'after',
    '\nIt asks first; away from a terminal it needs --yes. The account stays as it is.',
  );
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
  const target = all.find(({ resource }) => resource === context.api.resourceCalled(word ?? ''));
  if (!target)
    throw usage(`What is to be forgotten? ${word ?? 'Nothing'} is no resource that is mirrored.`, {
      hint: boh.mirror('mirror forget', 'customers', 'ID', '--yes'),
    });
  if (ids.length === 0 || ids.includes('')) throw usage(`Which ${target.resource.nouns}? Give their ids.`);
  if (ids.some((id) => id.startsWith('@')))
    throw usage('Records are forgotten by their ids: a name may be another’s tomorrow.', {
      hint: boh.hint`To see the id: ${boh.account(`${target.resource.command} get`, ids.find((id) => id.startsWith('@')) ?? '', '-o', 'id')}`,
    });
  const flags = command.opts<PlaceFlags & AnyAccountFlag>();
  const place = await targetOf(flags, context);
  await demandOwnAt(() => openReader(place, all), flags, context);
  if (context.globals.dryRun) return told(`The mirror would forget ${ids.length} ${target.resource.nouns}.`);
  await confirmForget(target, ids, context);
  const held = await lockMirror(place, { isWaiting: true, signal: context.signal, env: context.env });
  try {
    const store = await openExisting(place, all);
    try {
      const facts = await forget(store, { mirrored: target, ids, now: formatTimestamp(context.now()) });
      const naming = await remainingReferences(store, all, target, ids);
      return {
        kind: 'facts',
        facts,
        key: 'id',
        columns: ['resource', 'id', 'was_held'].map((name) => ({ name })),
        remarks: naming.map(({ table, ids: others }) => remark(target, table, others)),
      };
    } finally {
      await store.close();
    }
  } finally {
    await held.release();
  }
}

function remark({ resource }: Mirrored, table: string, ids: readonly string[]): Hint {
  return boh.hint`Rows of ${table} still name the ${resource.noun}. To forget these too: ${boh.mirror('mirror forget', table.replaceAll('_', '-'), ...ids)}`;
}

async function confirmForget(
  { resource }: Mirrored,
  ids: readonly string[],
  { streams, globals }: Context,
): Promise<void> {
  if (globals.yes) return;
  const what = ids.length === 1 ? `the ${resource.noun} ${ids[0]}` : `${ids.length} ${resource.nouns}`;
  if (!streams.interactive) {
    throw usage(`To forget ${what}, add --yes.`, { hint: 'There is no terminal to ask on.' });
  }
  if (await confirm(streams, { message: `Let ${what} go from the mirror for good?` })) return;
  throw new Failure('interrupted', 'Nothing was done.');
}
