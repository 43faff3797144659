/** `boh change edit` and `boh change cancel`: change the schedule or the contents of a set, or cancel it before it starts. */
import { usage } from '../../base/errors.ts';
import { boh, type Hint } from '../../base/hint.ts';
import { type ChangeSet, isInProgress, type Schedule, stateLabels } from '../../changes/change-set.ts';
import type { ChangeSets, PlanContents } from '../../changes/change-sets.ts';
import type { Context } from '../../context/context.ts';
import { createAction } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { approveWrites } from '../../prompts/confirming/approve-writes.ts';
import { Command } from '../command.ts';
import { type AnyAccountFlag, anyAccountOption } from '../flags/shared-flags.ts';
import { prepare } from '../prepare.ts';
import { planContents } from './contents.ts';
import { changeSetResult, describePeriod } from './format-set.ts';
import { requireChangeSets } from './open-sets.ts';
import { addScheduleFlags, parseSchedule, refuseConflicts, type ScheduleFlags } from './schedule-flags.ts';
import { addChangeSourceFlags, type ChangeSourceFlags, hasSource } from './sources.ts';

type Flags = ScheduleFlags & ChangeSourceFlags;

/** Returns the command `boh change edit`. */
export function editCommand(context: Context): Command {
  const command = prepare(new Command('edit'))
    .argument('<name>', 'the name of the change set')
    .argument('[source...]', 'new contents: files or folders, as for boh change create')
    .usage(
      '<name> [<path...> | --import <file> <resource> | <resource> --where … --set … | --plan <file>] [flags]',
    )
    .description(
      'Change the start time, the end time or the contents of a change set. A change set that was missed or stopped is scheduled again. Once it has started, only --until, --note and --on-changed can be changed.',
    )
    .examples(
      'boh change edit ramadan --until "2027-03-11 04:00"',
      'boh change edit ramadan menu/',
      'boh change edit sale --on-changed skip',
    );
  return addChangeSourceFlags(addScheduleFlags(command)).action(
    createAction(context, (name: string, source: string[], flags: Flags) =>
      edit(name, source, flags, context),
    ),
  );
}

async function edit(
  name: string,
  source: readonly string[],
  flags: Flags,
  context: Context,
): Promise<Result> {
  const sets = await openSetsToChange(flags, context);
  const now = context.now().getTime();
  const hasContents = hasSource(source, flags);
  const saveChanges = (contents?: PlanContents) =>
    sets.write(() => {
      const set = sets.get(name);
      const schedule = editSchedule(set, flags, now, hasContents);
      const resetState = isInProgress(set) ? {} : { state: 'planned' as const, reason: null };
      if (!sets.change(set, { ...schedule, ...resetState }, contents)) throw concurrentChangeFailure(set);
      refuseConflicts(sets, sets.get(name), flags);
    });
  const schedule = editSchedule(sets.get(name), flags, now, hasContents);
  let hints: Hint[] = [];
  const allow = flags.allow ?? sets.get(name).allow?.split(',');
  const contentsFlags = { ...flags, ...(allow && { allow }) };
  if (hasContents)
    hints = await planContents(source, contentsFlags, { name, schedule, save: saveChanges }, context);
  else {
    const settings = await context.settings();
    if (settings.protection) await approveWrites(context, settings);
    saveChanges();
  }
  const changedSet = sets.get(name);
  const state = stateLabels[changedSet.state];
  return changeSetResult(changedSet, now, [
    `Change set ${name} is ${state}, ${describePeriod(changedSet)}.`,
    ...hints,
  ]);
}

/** Returns the schedule after an edit. Throws `usage` if the state of the set doesn't allow the edit. */
function editSchedule(set: ChangeSet, flags: Flags, now: number, hasContents: boolean): Schedule {
  const { name } = set;
  refuseState(set, ['ended', 'canceled']);
  const hasStarted = isInProgress(set);
  if (hasStarted && hasContents)
    throw usage(`Change set ${name} has already started: its contents can't be changed.`, undoHint(set));
  if (hasStarted && (flags.at !== undefined || flags.grace !== undefined))
    throw usage(`Change set ${name} has already started: --at and --grace can't be changed.`);
  const schedule = parseSchedule(flags, now, set);
  if (hasStarted && set.endsAt === null && schedule.endsAt !== null && set.state !== 'beginning')
    throw usage(`Change set ${name} has no end time.`, undoHint(set));
  if (!hasStarted && schedule.startsAt + schedule.graceMs < now)
    throw usage(`The start time of ${name} has passed: ${describePeriod(schedule)}.`, {
      hint: 'Choose another start time: --at TIME',
    });
  return schedule;
}

/** Returns the command `boh change cancel`. */
export function cancelCommand(context: Context): Command {
  return prepare(new Command('cancel'))
    .argument('<name>', 'the name of the change set')
    .description(
      'Cancel a change set that has not started. To end one that has started: boh change edit, or boh undo --change.',
    )
    .addOption(anyAccountOption('also use change sets of another account'))
    .examples('boh change cancel ramadan')
    .action(createAction(context, (name: string, flags: AnyAccountFlag) => cancel(name, flags, context)));
}

async function cancel(name: string, flags: AnyAccountFlag, context: Context): Promise<Result> {
  const sets = await openSetsToChange(flags, context);
  const canceled = sets.write(() => {
    const set = sets.get(name);
    refuseState(set, ['ended', 'canceled']);
    if (isInProgress(set))
      throw usage(`Change set ${name} has already started: it can't be canceled.`, undoHint(set));
    if (!sets.change(set, { state: 'canceled' })) throw concurrentChangeFailure(set);
    return sets.get(name);
  });
  const notes = [`Change set ${name} is canceled. Nothing was sent.`];
  return changeSetResult(canceled, context.now().getTime(), notes);
}

async function openSetsToChange(flags: AnyAccountFlag, context: Context): Promise<ChangeSets> {
  return requireChangeSets(context, flags);
}

function refuseState({ name, state }: ChangeSet, states: readonly ChangeSet['state'][]): void {
  if (states.includes(state)) throw usage(`Change set ${name} is ${stateLabels[state]}.`);
}

function undoHint({ name }: ChangeSet) {
  return { hint: boh.hint`To restore the earlier values now: ${boh.account('undo', '--change', name)}` };
}

function concurrentChangeFailure({ name }: ChangeSet) {
  return usage(`Change set ${name} was changed by another process at the same time.`, {
    hint: boh.hint`Check it with ${boh.account('change show', name)}, then try again.`,
  });
}
