/** `boh mirror reset`: the copy goes; the next sync makes it anew. */

import { Failure, usage } from '../../base/errors.ts';
import type { Context } from '../../context/context.ts';
import { lockMirror } from '../../mirror/lock.ts';
import { requireResettable, resetMirror } from '../../mirror/reset.ts';
import { mirroredResources } from '../../mirror/schema/derive.ts';
import { openReaderOfAnyVersion } from '../../mirror/stores/open.ts';
import type { MirrorTarget } from '../../mirror/target.ts';
import { presented } from '../../output/present.ts';
import { type Result, told } from '../../output/result.ts';
import { confirm } from '../../prompts/terminal/prompts.ts';
import { isOfSqlite, StorageFailure } from '../../storage/failures.ts';
import { Command } from '../command.ts';
import { type AnyAccountFlag, anyAccountOption } from '../flags/any-account.ts';
import { prepare } from '../prepare.ts';
import { addPlaceFlag, demandOwnAt, type PlaceFlags, targetOf } from './place.ts';

export function resetCommand(context: Context): Command {
  const command = prepare(new Command('reset')).description(
    'Take the copy away, with all that is kept of how far it had come. The account stays as it is.',
  );
  addPlaceFlag(command).addOption(anyAccountOption());
  command.addHelpText('after', '\nIt asks first; away from a terminal it needs --yes.');
  return command.action(presented(context, (flags: ResetFlags) => run(flags, context)));
}

type ResetFlags = PlaceFlags & AnyAccountFlag;

async function run(flags: ResetFlags, context: Context): Promise<Result> {
  const target = await targetOf(flags, context);
  const { called } = target;
  // Before anybody is asked, or anything put beside the file.
  requireResettable(target);
  await demandOwnIfReadable(target, flags, context);
  if (context.globals.dryRun) return told(`The mirror ${called} would be taken away.`);
  await confirmReset(called, context);
  const held = await lockMirror(target, { isWaiting: false, signal: context.signal, env: context.env });
  let aside: string | undefined;
  try {
    aside = await resetMirror(target, mirroredResources(context.api));
  } catch (error) {
    await held.release();
    throw error;
  }
  await held.clear();
  return told(
    ...(aside === undefined ? [] : [`The file that could not be used is now ${aside}`]),
    `The mirror ${called} is taken away: the next sync makes it anew.`,
  );
}

/** Whose a copy is that can’t be read any more, nobody knows: it is there to be taken away. */
async function demandOwnIfReadable(target: MirrorTarget, flags: ResetFlags, context: Context): Promise<void> {
  try {
    await demandOwnAt(() => openReaderOfAnyVersion(target), flags, context);
  } catch (error) {
    const isDamaged = error instanceof StorageFailure && error.problem === 'damaged';
    // SQLite’s own word for a table that isn’t there.
    if (!isDamaged && !isOfSqlite(error)) throw error;
  }
}

async function confirmReset(called: string, { streams, globals }: Context): Promise<void> {
  if (globals.yes) return;
  if (!streams.interactive) {
    throw usage(`To take the mirror ${called} away, add --yes.`, { hint: 'There is no terminal to ask on.' });
  }
  if (await confirm(streams, { message: `Take the mirror ${called} away?` })) return;
  throw new Failure('interrupted', 'Nothing was done.');
}
