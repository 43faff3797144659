/** Formats a change set as JSON and as text, with its conflicts and its planned changes. */
import { join } from 'node:path';
import type { Hint } from '../../base/hint.ts';
import { createTemporaryFolder } from '../../base/temporary-folder.ts';
import { formatBusinessTime } from '../../changes/business-time.ts';
import { type ChangeSet, nextAction, stateLabels } from '../../changes/change-set.ts';
import type { ChangeSets, Conflict } from '../../changes/change-sets.ts';
import type { Context } from '../../context/context.ts';
import { formatTimestamp } from '../../contract/date-time.ts';
import type { Result } from '../../output/result.ts';
import { Ledger } from '../../runs/ledger/ledger.ts';
import { findRowsChangedSince } from '../../runs/recheck-rows.ts';
import { ReferenceResolver } from '../../runs/reference-resolver.ts';
import { type RowResult, resultOf } from '../../runs/result.ts';
import { cleanLine } from '../../terminal/clean.ts';
import { changesOf, formatPlannedRow, resourceIn } from '../bulk/show-plan.ts';
import { openChangeHistory } from '../history/open-history.ts';

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

/** Returns a set as a row of a table. */
export function changeSetToRow({ name, state, startsAt, endsAt, zone, summary, note }: ChangeSet) {
  return {
    ...{ name, state: stateLabels[state], start: formatBusinessTime(startsAt, zone) },
    ...{ end: endsAt === null ? null : formatBusinessTime(endsAt, zone), changes: summary, note },
  };
}

/** Returns the result of a command that changed a set. */
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

/** Returns conflicts as JSON. */
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
  const scratch = createTemporaryFolder('change');
  try {
    const file = join(scratch.path, 'plan.sqlite');
    sets.writePlan(set, file);
    const ledger = new Ledger(file);
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
  } finally {
    scratch.remove();
  }
}

/** Compares the planned rows with the current records. Returns a reason for each changed record, by row. */
async function findChangedRows(ledger: Ledger, context: Context): Promise<Map<number, string>> {
  const { describeChange, close } = await openChangeHistory(ledger, context);
  try {
    const session = await context.session();
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
