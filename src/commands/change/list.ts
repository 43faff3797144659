/** `boh change list` and `boh change show`: list change sets and their schedule, and preview a change set. */
import { formatBusinessTime } from '../../changes/business-time.ts';
import { actionLabels, compareActions, finalStates, stateLabels } from '../../changes/change-set.ts';
import type { Context } from '../../context/context.ts';
import { formatTimestamp } from '../../contract/date-time.ts';
import { createAction } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { Command } from '../command.ts';
import { type AnyAccountFlag, anyAccountOption } from '../flags/shared-flags.ts';
import { prepare } from '../prepare.ts';
import {
  changeSetToJson,
  changeSetToRow,
  conflictsToJson,
  describeConflict,
  describePeriod,
  joinLines,
  readPlannedChanges,
} from './format-set.ts';
import { openSets, requireChangeSets } from './open-sets.ts';

/** Returns the command `boh change list`. */
export function listCommand(context: Context): Command {
  return prepare(new Command('list'))
    .description('List the change sets of the account by start time.')
    .examples('boh change list', 'boh change list -o json')
    .addOption(anyAccountOption('also use change sets of another account'))
    .action(createAction(context, (flags: AnyAccountFlag) => list(flags, context)));
}

const emptyNote = 'No change sets.';

async function list(flags: AnyAccountFlag, context: Context): Promise<Result> {
  const { sets } = await openSets(context, flags, { limitsWait: true });
  const now = context.now().getTime();
  const changeSets = sets?.all() ?? [];
  return {
    kind: 'data',
    data: changeSets.map((set) => changeSetToJson(set, now)),
    idField: 'name',
    dataForPeople: () => changeSets.map(changeSetToRow),
    columns: [
      { name: 'name', isIndivisible: true },
      { name: 'state', isIndivisible: true },
      { name: 'start', rank: 1 },
      { name: 'end', rank: 1 },
      { name: 'changes', rank: 2 },
      { name: 'note', rank: 3 },
    ],
    emptyNote,
  };
}

/** Returns the command `boh change show`. */
export function showCommand(context: Context): Command {
  return prepare(new Command('show'))
    .argument('[name]', 'the name of a change set')
    .description(
      'Show when change sets start and end. With a name, show the changes of this change set, compared with the current records.',
    )
    .examples('boh change show', 'boh change show ramadan')
    .addOption(anyAccountOption('also use change sets of another account'))
    .action(
      createAction(context, (name: string | undefined, flags: AnyAccountFlag) =>
        name === undefined ? showCalendar(flags, context) : show(name, flags, context),
      ),
    );
}

async function showCalendar(flags: AnyAccountFlag, context: Context): Promise<Result> {
  const { sets } = await openSets(context, flags, { limitsWait: true });
  const now = context.now().getTime();
  const events = (sets?.all() ?? [])
    .filter(({ state }) => !finalStates.includes(state))
    .flatMap((set) => {
      const isPending = set.state === 'planned' || set.state === 'beginning';
      const beginEvents = isPending ? [{ set, kind: 'begin' as const, dueAt: set.startsAt }] : [];
      return [
        ...beginEvents,
        ...(set.endsAt === null ? [] : [{ set, kind: 'return' as const, dueAt: set.endsAt }]),
      ];
    });
  const rows = events.sort(compareActions).map(({ set, kind, dueAt }) => ({
    at: formatTimestamp(new Date(dueAt)),
    local: formatBusinessTime(dueAt, set.zone),
    act: kind,
    name: set.name,
    is_due: dueAt <= now,
    changes: set.summary,
  }));
  return {
    kind: 'data',
    data: rows,
    idField: 'name',
    dataForPeople: () =>
      rows.map(({ local, act, name, changes, is_due: isDue }) => ({
        when: local,
        event: isDue ? `${actionLabels[act]} (due)` : actionLabels[act],
        name,
        changes,
      })),
    columns: [
      { name: 'when', isIndivisible: true },
      { name: 'event', isIndivisible: true },
      { name: 'name', isIndivisible: true },
      { name: 'changes', rank: 1 },
    ],
    emptyNote: 'Nothing is scheduled.',
  };
}

async function show(name: string, flags: AnyAccountFlag, context: Context): Promise<Result> {
  const sets = await requireChangeSets(context, flags);
  const set = sets.get(name);
  const canBePreviewed = ['planned', 'missed', 'stopped'].includes(set.state);
  const changes = canBePreviewed
    ? await readPlannedChanges(set, sets, context, { compareRecords: true })
    : [];
  const setJson = changeSetToJson(set, context.now().getTime());
  const conflicts = sets.conflicts(set);
  const lines = [
    `Change set ${set.name}: ${stateLabels[set.state]}, ${describePeriod(set)}.`,
    ...(set.note === null ? [] : [set.note]),
    ...(set.reason === null ? [] : [set.reason]),
    set.summary,
    ...changes.map(({ line, problem }) => `  ${line}${problem === undefined ? '' : ` (${problem})`}`),
    ...conflicts.map(
      (conflict) => `Also changed by ${conflict.otherSet.name}: ${describeConflict(conflict)}.`,
    ),
  ];
  return {
    kind: 'data',
    data: {
      ...setJson,
      conflicts: conflictsToJson(conflicts),
      changes: changes.map(({ row, problem }) => ({ ...row, changed_since: problem ?? null })),
    },
    text: joinLines(lines),
    notes:
      set.state === 'planned'
        ? []
        : [`Run: ${set.run}${set.returnRun === null ? '' : `; undo: ${set.returnRun}`}`],
  };
}
