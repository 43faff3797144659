/** `boh change create NAME …`: plans changes, and saves the plan with its start time and end time. */
import { usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { createAction } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { Command } from '../command.ts';
import { prepare } from '../prepare.ts';
import { planContents } from './contents.ts';
import { changeSetResult, describePeriod } from './format-set.ts';
import { openSets, useSandboxClock } from './open-sets.ts';
import { addScheduleFlags, parseSchedule, refuseConflicts, type ScheduleFlags } from './schedule-flags.ts';
import { addChangeSourceFlags, type ChangeSourceFlags } from './sources.ts';

type Flags = ScheduleFlags & ChangeSourceFlags;

/** Returns the command `boh change create`. */
export function createCommand(context: Context): Command {
  const command = prepare(new Command('create'))
    .argument('<name>', 'the name of the change set')
    .argument('[source...]', 'files or folders, as for boh plan; with --import or --where: the resource')
    .usage(
      '<name> (<path...> | --import <file> <resource> | <resource> --where … --set … | --plan <file>) --at <time> [flags]',
    )
    .description(
      'Schedule changes that start at one time and optionally end at another; the earlier values are then restored. Nothing is sent now; ' +
        'boh change run starts and ends the change sets that are due.',
    );
  addChangeSourceFlags(addScheduleFlags(command));
  command.examples(
    'boh change create ramadan menu/ --at "2027-02-08 04:00" --until "2027-03-10 04:00" --timezone Asia/Riyadh',
    'boh change create sale inventory-items --where tags.id=@Cold --set cost=9 --at 2027-05-01 --until 2027-05-03',
  );
  return command.action(
    createAction(context, (name: string, source: string[], flags: Flags) =>
      create(name, source, flags, context),
    ),
  );
}

async function create(
  name: string,
  source: readonly string[],
  flags: Flags,
  context: Context,
): Promise<Result> {
  await useSandboxClock(context);
  const now = context.now().getTime();
  if (!/^[\p{L}\p{N}][\p{L}\p{N}\p{M} ._-]{0,63}$/u.test(name))
    throw usage(`"${name}" isn't a name for a change set: use letters, digits, spaces and ._-, up to 64.`);
  const schedule = parseSchedule(flags, now);
  const { sets } = await openSets(context, flags, { createsFile: true });
  if (!sets) throw new Error('no change sets');
  sets.refuseExistingName(name);
  const hints = await planContents(
    source,
    flags,
    {
      ...{ name, schedule },
      save: (contents) =>
        sets.add({ name, ...schedule, createdAt: now }, contents, (set) => refuseConflicts(sets, set, flags)),
    },
    context,
  );
  const addedSet = sets.get(name);
  return changeSetResult(addedSet, now, [
    `Change set ${name} is scheduled ${describePeriod(addedSet)}. Nothing was sent.`,
    ...hints,
    boh.hint`To try it in a copy of the account: ${boh.account('change rehearse', name)}`,
    boh.hint`To start and end it on time, run this every minute: ${boh.account('change run')}. To print a timer: ${boh.account('change install', '--systemd')}`,
  ]);
}
