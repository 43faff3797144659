/** `boh change`: schedules changes with a start time and an optional end time. */

import { readMoment } from '../../../api/contract/typed-text.ts';
import { parseDurationMs } from '../../../base/duration.ts';
import { usage } from '../../../base/errors.ts';
import { boh, type Hint } from '../../../base/hint.ts';
import { parseTimeZone } from '../../../base/local-time-zone.ts';
import { redact } from '../../../base/redaction.ts';
import { parseBusinessTime } from '../../../engine/changes/business-time.ts';
import {
  type ChangeSet,
  isInProgress,
  onChangedChoices,
  type Schedule,
  stateLabels,
} from '../../../engine/changes/change-set.ts';
import type { ChangeSets, PlanContents } from '../../../engine/changes/change-sets.ts';
import type { Context } from '../../context/context.ts';
import type { Result } from '../../output/result.ts';
import { approveWrites } from '../../prompts/confirm.ts';
import type { Command } from '../command.ts';
import { createCommand, groupCommand } from '../declare.ts';
import { type FlagsOf, under } from '../flags/flag-table.ts';
import { changeSourceFlags, hasSource, planContents } from './contents.ts';
import { openSets, requireChangeSets, useSandboxClock } from './open-sets.ts';
import { rehearseCommand } from './rehearse.ts';
import { installCommand, runCommand } from './run.ts';
import { changeSetResult, describeConflict, describePeriod, listCommand, showCommand } from './show.ts';

/** The default of `--grace`: two hours, because a timer may call `change run` only once an hour. */
const defaultGraceMs = 2 * 3_600_000;

const scheduleFlags = under('Schedule:', [
  ['--at <time>', 'start time: "2027-02-08 04:00", a day, or with an offset from UTC'],
  ['--until <time>', 'end time, when the earlier values are restored'],
  ['--timezone <zone>', 'the time zone of these times (default: the time zone of this machine)'],
  ['--grace <duration>', 'how long after --at it may still start: 30m, 6h (default: 2h)'],
  [
    '--on-changed <action>',
    'if records changed since it was planned: skip them, or stop (default: stop)',
    { suggestions: onChangedChoices },
  ],
  ['--nested', 'allow nesting inside a change set that changes the same fields; the inner one ends first'],
  ['--note <text>', 'a note for this change set'],
]);

const setFlags = [...scheduleFlags, ...changeSourceFlags] as const;

type SetFlags = FlagsOf<typeof setFlags>;

/** Returns the command `boh change` with its subcommands. */
export function changeCommand(context: Context): Command {
  return groupCommand(
    'change',
    'Schedule changes that start at one time and optionally end at another; the earlier values are then restored.',
    [
      createCommand(context, {
        name: 'create',
        summary: 'Schedule changes',
        about:
          'Schedule changes that start at one time and optionally end at another; the earlier values are then restored. Nothing is sent now; ' +
          'boh change run starts and ends the change sets that are due.',
        args: [
          ['<name>', 'the name of the change set'],
          ['[source...]', 'files or folders, as for boh plan; with --import or --where: the resource'],
        ],
        usage:
          '<name> (<path...> | --import <file> <resource> | <resource> --where … --set … | --plan <file>) --at <time> [flags]',
        flags: setFlags,
        examples: [
          'boh change create ramadan menu/ --at "2027-02-08 04:00" --until "2027-03-10 04:00" --timezone Asia/Riyadh',
          'boh change create sale inventory-items --where tags.id=@Cold --set cost=9 --at 2027-05-01 --until 2027-05-03',
        ],
        run: ([name, source], flags) => create(name, source, flags, context),
      }),
      listCommand(context),
      showCommand(context),
      createCommand(context, {
        name: 'edit',
        summary: 'Change the schedule or the contents of a change set',
        about:
          'Change the start time, the end time or the contents of a change set. A change set that was missed or stopped is scheduled again. Once it has started, only --until, --note and --on-changed can be changed.',
        args: [
          ['<name>', 'the name of the change set'],
          ['[source...]', 'new contents: files or folders, as for boh change create'],
        ],
        usage:
          '<name> [<path...> | --import <file> <resource> | <resource> --where … --set … | --plan <file>] [flags]',
        flags: setFlags,
        examples: [
          'boh change edit ramadan --until "2027-03-11 04:00"',
          'boh change edit ramadan menu/',
          'boh change edit sale --on-changed skip',
        ],
        run: ([name, source], flags) => edit(name, source, flags, context),
      }),
      createCommand(context, {
        name: 'cancel',
        summary: 'Cancel a change set that has not started',
        about:
          'Cancel a change set that has not started. To end one that has started: boh change edit, or boh undo --change.',
        args: [['<name>', 'the name of the change set']],
        examples: ['boh change cancel ramadan'],
        run: async ([name]) => {
          const sets = await requireChangeSets(context);
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
        },
      }),
      rehearseCommand(context),
      runCommand(context),
      installCommand(context),
    ],
  );
}

async function create(
  name: string,
  source: readonly string[],
  flags: SetFlags,
  context: Context,
): Promise<Result> {
  await useSandboxClock(context);
  const now = context.now().getTime();
  if (!/^[\p{L}\p{N}][\p{L}\p{N}\p{M} ._-]{0,63}$/u.test(name))
    throw usage(`"${name}" isn't a name for a change set: use letters, digits, spaces and ._-, up to 64.`);
  const schedule = parseSchedule(flags, now);
  const sets = await openSets(context, { createsIfMissing: true });
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

async function edit(
  name: string,
  source: readonly string[],
  flags: SetFlags,
  context: Context,
): Promise<Result> {
  const sets = await requireChangeSets(context);
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
function editSchedule(set: ChangeSet, flags: SetFlags, now: number, hasContents: boolean): Schedule {
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

/** Parses the schedule in the flags. Missing flags keep the values of `current`. Throws `usage` for invalid values. */
function parseSchedule(flags: SetFlags, now: number, current?: Schedule): Schedule {
  const zone = flags.timezone === undefined && current ? current.zone : parseTimeZone(flags.timezone);
  const today = new Date(`${new Date(now).toLocaleDateString('sv-SE', { timeZone: zone })}T00:00:00`);
  const parseTime = (name: 'at' | 'until', currentTime: number | null | undefined) => {
    const text = flags[name];
    return text === undefined ? currentTime : parseBusinessTime(readMoment(text, today), zone, `--${name}`);
  };
  const startsAt = parseTime('at', current?.startsAt);
  const endsAt = parseTime('until', current?.endsAt) ?? null;
  if (startsAt === undefined || startsAt === null)
    throw usage('Missing --at: the start time of the change set.', {
      hint: 'For example: --at "2027-02-08 04:00" --until "2027-03-10 04:00" --timezone Asia/Riyadh',
    });
  const onChanged = onChangedChoices.find(
    (choice) => choice === (flags.onChanged ?? current?.onChanged ?? 'stop'),
  );
  if (!onChanged) throw usage('--on-changed must be skip or stop.');
  const graceMs =
    flags.grace === undefined ? (current?.graceMs ?? defaultGraceMs) : parseDurationMs(flags.grace);
  const note = flags.note === undefined ? (current?.note ?? null) : redact(flags.note);
  const schedule = { startsAt, endsAt, zone, graceMs, onChanged, note };
  if (endsAt !== null && endsAt <= startsAt)
    throw usage(`--until must be after --at: ${describePeriod(schedule)}.`);
  if (startsAt + graceMs < now && current?.startsAt !== startsAt)
    throw usage(`--at is in the past: ${describePeriod(schedule)}.`);
  return schedule;
}

/** Throws `usage` if other sets change the same fields at the same time. With `--nested`, nested sets are allowed. */
function refuseConflicts(sets: ChangeSets, set: ChangeSet, { nested }: SetFlags): void {
  const conflicts = sets.conflicts(set).filter(({ overlap }) => !(nested && overlap === 'nested'));
  if (conflicts.length === 0) return;
  const isNested = conflicts.every(({ overlap }) => overlap === 'nested');
  throw usage(
    `Change set ${set.name} conflicts with other change sets: they change the same fields at the same time.`,
    {
      fields: Object.fromEntries(
        conflicts.map((conflict) => [conflict.otherSet.name, [describeConflict(conflict)]]),
      ),
      hint: isNested
        ? 'To allow nesting: --nested'
        : 'Choose other times. Two change sets of the same fields must not overlap, unless one is nested in the other (--nested).',
    },
  );
}
