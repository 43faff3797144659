/** `boh change edit` and `boh change cancel`: change the start and end time of a set, or cancel it before it begins. */
import { usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { type ChangeSet, isBegun } from '../../changes/change-set.ts';
import type { ChangeSets } from '../../changes/change-sets.ts';
import type { Context } from '../../context/context.ts';
import { presented } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { Command } from '../command.ts';
import { type AnyAccountFlag, anyAccountOption } from '../flags/shared-flags.ts';
import { prepare } from '../prepare.ts';
import { periodOf, setsThere, shownSet } from './open-sets.ts';
import { addScheduleFlags, readSchedule, refuseConflicts, type ScheduleFlags } from './schedule-flags.ts';

type Flags = ScheduleFlags & AnyAccountFlag;

/** Builds `boh change edit`. */
export function editCommand(context: Context): Command {
  const command = prepare(new Command('edit'))
    .argument('<name>', 'the name of the change set')
    .description(
      'Change the start time and end time of a change set. One that was missed or stopped is planned again. Once it has begun, only --until, --note and --on-changed can be changed.',
    )
    .addOption(anyAccountOption('also use change sets of another account'))
    .examples('boh change edit ramadan --until "2027-03-11 04:00"', 'boh change edit sale --on-changed skip');
  return addScheduleFlags(command).action(
    presented(context, (name: string, flags: Flags) => edit(name, flags, context)),
  );
}

async function edit(name: string, flags: Flags, context: Context): Promise<Result> {
  const sets = await setsFor(flags, context);
  const now = context.now().getTime();
  const changed = sets.write(() => {
    const set = sets.named(name);
    refuseOver(set, ['ended', 'canceled']);
    const begun = isBegun(set);
    if (begun && (flags.at !== undefined || flags.grace !== undefined))
      throw usage(`Change set ${name} has already begun: --at and --grace can't be changed.`);
    const schedule = readSchedule(flags, now, set);
    if (begun && set.until === null && schedule.until !== null && set.state !== 'beginning')
      throw usage(`Change set ${name} has no end time.`, undoHint(set));
    if (!begun && schedule.at + schedule.grace < now)
      throw usage(`The start time of ${name} has passed: ${periodOf(schedule)}.`, {
        hint: 'Choose another one: --at TIME',
      });
    const state = begun ? set.state : 'planned';
    if (!sets.change(set, { ...schedule, state, ...(!begun && { reason: null }) })) throw busy(set);
    const edited = sets.named(name);
    refuseConflicts(sets, edited, flags);
    return edited;
  });
  return {
    kind: 'facts',
    facts: shownSet(changed, now),
    notes: [`Change set ${name} is ${changed.state}, ${periodOf(changed)}.`],
  };
}

/** Builds `boh change cancel`. */
export function cancelCommand(context: Context): Command {
  return prepare(new Command('cancel'))
    .argument('<name>', 'the name of the change set')
    .description(
      'Cancel a change set that has not begun. To end one that has begun: boh change edit, or boh undo --change.',
    )
    .addOption(anyAccountOption('also use change sets of another account'))
    .examples('boh change cancel ramadan')
    .action(presented(context, (name: string, flags: AnyAccountFlag) => cancel(name, flags, context)));
}

async function cancel(name: string, flags: AnyAccountFlag, context: Context): Promise<Result> {
  const sets = await setsFor(flags, context);
  const canceled = sets.write(() => {
    const set = sets.named(name);
    refuseOver(set, ['ended', 'canceled']);
    if (isBegun(set))
      throw usage(`Change set ${name} has already begun: it can't be canceled.`, undoHint(set));
    if (!sets.change(set, { state: 'canceled' })) throw busy(set);
    return sets.named(name);
  });
  return {
    kind: 'facts',
    facts: shownSet(canceled, context.now().getTime()),
    notes: [`Change set ${name} is canceled. Nothing was sent.`],
  };
}

async function setsFor(flags: AnyAccountFlag, context: Context): Promise<ChangeSets> {
  if (context.globals.dryRun) throw usage('This has no dry run.', { hint: boh.account('change show') });
  return setsThere(context, flags);
}

function refuseOver({ name, state }: ChangeSet, states: readonly ChangeSet['state'][]): void {
  if (states.includes(state)) throw usage(`Change set ${name} is ${state}.`);
}

function undoHint({ name }: ChangeSet) {
  return { hint: boh.hint`To restore the earlier values now: ${boh.account('undo', '--change', name)}` };
}

function busy({ name }: ChangeSet) {
  return usage(`Change set ${name} was changed by another process at the same time.`, {
    hint: boh.hint`Check it with ${boh.account('change show', name)}, then try again.`,
  });
}
