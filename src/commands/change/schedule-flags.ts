/** Defines and parses the flags for the schedule of a change set, for `create` and `edit`. */
import { Option } from 'commander';
import { usage } from '../../base/errors.ts';
import { redact } from '../../base/redaction.ts';
import { parseBusinessTime, parseTimeZone } from '../../changes/business-time.ts';
import { type ChangeSet, onChangedChoices, type Schedule } from '../../changes/change-set.ts';
import type { ChangeSets } from '../../changes/change-sets.ts';
import type { Command } from '../command.ts';
import { ChoiceOption } from '../flags/shared-flags.ts';
import { parseDurationMs } from '../sandbox/numbers.ts';
import { describeConflict, describePeriod } from './format-set.ts';

/** The flags as commander returns them, not yet validated. */
export interface ScheduleFlags {
  at?: string;
  until?: string;
  timezone?: string;
  grace?: string;
  onChanged?: string;
  note?: string;
  nested?: boolean;
}

/** The default of `--grace`: two hours, because a timer may call `change run` only once an hour. */
const defaultGraceMs = 2 * 3_600_000;

/** Adds the flags of the schedule. */
export function addScheduleFlags(command: Command): Command {
  return command.group(
    'Schedule:',
    new Option('--at <time>', 'start time: "2027-02-08 04:00", a day, or with an offset from UTC'),
    new Option('--until <time>', 'end time, when the earlier values are restored'),
    new Option('--timezone <zone>', 'the time zone of these times (default: the time zone of this machine)'),
    new Option('--grace <duration>', 'how long after --at it may still start: 30m, 6h (default: 2h)'),
    new ChoiceOption(
      '--on-changed <action>',
      'if records changed since it was planned: skip them, or stop (default: stop)',
      onChangedChoices,
    ),
    new Option(
      '--nested',
      'allow nesting inside a change set that changes the same fields; the inner one ends first',
    ),
    new Option('--note <text>', 'a note for this change set'),
  );
}

/** Parses the schedule in the flags. Missing flags keep the values of `current`. Throws `usage` for invalid values. */
export function parseSchedule(flags: ScheduleFlags, now: number, current?: Schedule): Schedule {
  const zone = flags.timezone === undefined && current ? current.zone : parseTimeZone(flags.timezone);
  const parseTime = (name: 'at' | 'until', currentTime: number | null | undefined) => {
    const text = flags[name];
    return text === undefined ? currentTime : parseBusinessTime(text, zone, `--${name}`);
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
export function refuseConflicts(sets: ChangeSets, set: ChangeSet, { nested }: ScheduleFlags): void {
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
