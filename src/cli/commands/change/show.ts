/** `boh change list` and `boh change show`: list change sets and their schedule, and preview a change set. Also formats change sets as JSON and text. */

import { formatTimestamp } from '../../../api/contract/date-time.ts';
import type { Hint } from '../../../base/hint.ts';
import { formatBusinessTime } from '../../../engine/changes/business-time.ts';
import {
  actionLabels,
  type ChangeSet,
  compareActions,
  finalStates,
  nextAction,
  stateLabels,
} from '../../../engine/changes/change-set.ts';
import type { ChangeSets, Conflict } from '../../../engine/changes/change-sets.ts';
import type { Ledger } from '../../../engine/runs/ledger/ledger.ts';
import { type RowResult, resultOf } from '../../../engine/runs/ledger/row.ts';
import { findRowsChangedSince } from '../../../engine/runs/recheck-rows.ts';
import { ReferenceResolver } from '../../../engine/runs/reference-resolver.ts';
import type { Context } from '../../context/context.ts';
import type { Result } from '../../output/result.ts';
import { cleanLine } from '../../terminal/clean.ts';
import { changesOf, formatPlannedRow, resourceIn } from '../bulk/show-plan.ts';
import type { Command } from '../command.ts';
import { createCommand } from '../declare.ts';
import { openChangeHistory } from '../history/open-history.ts';
import { openSets, requireChangeSets } from './open-sets.ts';

export function listCommand(context: Context): Command {
  return createCommand(context, {
    name: 'list',
    summary: 'List the change sets',
    about: 'List the change sets of the account by start time.',
    examples: ['boh change list', 'boh change list -o json'],
    run: async () => {
      const sets = await openSets(context);
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
        emptyNote: 'No change sets.',
      };
    },
  });
}

export function showCommand(context: Context): Command {
  return createCommand(context, {
    name: 'show',
    summary: 'Show when change sets start and end, or preview one',
    about:
      'Show when change sets start and end. With a name, show the changes of this change set, compared with the current records.',
    args: [['[name]', 'the name of a change set']],
    examples: ['boh change show', 'boh change show ramadan'],
    run: ([name]) => (name === undefined ? showCalendar(context) : show(name, context)),
  });
}

async function showCalendar(context: Context): Promise<Result> {
  const sets = await openSets(context);
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

async function show(name: string, context: Context): Promise<Result> {
  const sets = await requireChangeSets(context);
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

/** Returns a set as JSON; times are in UTC, `YYYY-MM-DD HH:MM:SS`. */
export function changeSetToJson(set: ChangeSet, now: number) {
  const formatUtc = (timeMs: number | null) => (timeMs === null ? null : formatTimestamp(new Date(timeMs)));
  const upcomingAction = nextAction(set);
  return {
    name: set.name,
    state: set.state,
    at: formatUtc(set.startsAt),
    until: formatUtc(set.endsAt),
    timezone: set.zone,
    // The next event and its time; null for a set that has ended.
    next: upcomingAction?.kind ?? null,
    next_at: upcomingAction ? formatUtc(upcomingAction.dueAt) : null,
    // Whether that time has passed.
    is_due: upcomingAction !== undefined && upcomingAction.dueAt <= now,
    summary: set.summary,
    note: set.note,
    on_changed: set.onChanged,
    allow: set.allow?.split(',') ?? [],
    grace_seconds: set.graceMs / 1000,
    created_at: formatUtc(set.createdAt),
    begun_at: formatUtc(set.begunAt),
    returned_at: formatUtc(set.returnedAt),
    // The IDs of the runs that start and end it, for `boh runs show`.
    run: set.run,
    return_run: set.returnRun,
    reason: set.reason,
  };
}

function changeSetToRow({ name, state, startsAt, endsAt, zone, summary, note }: ChangeSet) {
  return {
    ...{ name, state: stateLabels[state], start: formatBusinessTime(startsAt, zone) },
    ...{ end: endsAt === null ? null : formatBusinessTime(endsAt, zone), changes: summary, note },
  };
}

export function changeSetResult(set: ChangeSet, now: number, notes: readonly Hint[]): Result {
  return { kind: 'data', data: changeSetToJson(set, now), dataForPeople: () => changeSetToRow(set), notes };
}

/** Describes the period of a set: `from 2027-02-08 04:00 Asia/Riyadh (2027-02-08 01:00 UTC) until …`. */
export function describePeriod({
  startsAt,
  endsAt,
  zone,
}: Pick<ChangeSet, 'startsAt' | 'endsAt' | 'zone'>): string {
  const end = endsAt === null ? 'without an end time' : `until ${formatBusinessTime(endsAt, zone)}`;
  return `from ${formatBusinessTime(startsAt, zone)} ${end}`;
}

/** Describes a conflict: the fields, the period of the other set, and how the periods overlap. */
export function describeConflict({ otherSet, exampleField, fieldCount, overlap }: Conflict): string {
  const moreFields = fieldCount > 1 ? ` and ${fieldCount - 1} more` : '';
  const overlapText = overlap === 'nested' ? 'one contains the other' : 'the periods overlap';
  return `${exampleField}${moreFields}; ${otherSet.name} runs ${describePeriod(otherSet)}; ${overlapText}`;
}

export function conflictsToJson(conflicts: readonly Conflict[]) {
  return conflicts.map(({ otherSet, overlap, fieldCount }) => ({
    name: otherSet.name,
    how: overlap,
    fields: fieldCount,
  }));
}

/** Returns lines as text, without control characters. */
export function joinLines(lines: readonly string[]): string {
  return lines.map((line) => `${cleanLine(line)}\n`).join('');
}

/** A record that a set plans to change. */
export interface PlannedChange {
  row: RowResult & { changes: ReturnType<typeof changesOf> };
  line: string;
  /** The reason why the record differs from the plan; undefined if it doesn't differ, or wasn't compared. */
  problem: string | undefined;
}

/** Returns the planned changes of a set; with `compareRecords`, also compares the current records. */
export async function readPlannedChanges(
  set: ChangeSet,
  sets: ChangeSets,
  context: Context,
  { compareRecords = false } = {},
): Promise<PlannedChange[]> {
  const ledger = sets.openPlan(set);
  try {
    const problems = compareRecords ? await findChangedRows(ledger, context) : new Map<number, string>();
    const options = { api: context.api, resource: resourceIn(ledger), isTerminal: false };
    return [...ledger.rows('planned')].map((row) => ({
      row: { ...resultOf(row), changes: changesOf(row) },
      line: formatPlannedRow(row, options),
      problem: problems.get(row.seq),
    }));
  } finally {
    ledger.close();
  }
}

/** Compares the planned rows with the current records. Returns a reason for each changed record, by row. */
async function findChangedRows(ledger: Ledger, context: Context): Promise<Map<number, string>> {
  const session = await context.session();
  const { describeChange, close } = await openChangeHistory(ledger, session);
  try {
    const changedRows = await findRowsChangedSince({
      ledger,
      session,
      resolver: new ReferenceResolver(ledger),
      describeChange,
    });
    return new Map(changedRows.map(({ row, reason }) => [row.seq, reason]));
  } finally {
    close();
  }
}
