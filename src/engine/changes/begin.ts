/** Begins a change set: compares its plan with the account again, and sends it as a run. */

import type { Row } from '../../account/session/row.ts';
import { Failure, usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Journal } from '../history/journal/journal.ts';
import { pageOfEntries } from '../history/journal/reading.ts';
import { changedSince } from '../history/undo/changed-since.ts';
import { findDuplicates } from '../runs/concurrent-duplicates.ts';
import type { Ledger } from '../runs/ledger/ledger.ts';
import { startTimeOf } from '../runs/ledger/run-id.ts';
import { createRunLedger, hasDoneRows, hasRun, openReadableRun, openRun } from '../runs/ledger/runs.ts';
import { hasChangedRows } from '../runs/ledger/saved-plan.ts';
import {
  type ChangedRow,
  type DescribeChange,
  findRowsChangedSince,
  type RecheckContext,
} from '../runs/recheck-rows.ts';
import { ReferenceResolver } from '../runs/reference-resolver.ts';
import type { ChangeSet, Schedule } from './change-set.ts';
import type { ChangeSets } from './change-sets.ts';
import type { Host } from './host.ts';
import { acceptOwnWrites } from './own-writes.ts';
import {
  type ActionContext,
  type ActionOutcome,
  changedConcurrently,
  completedOutcome,
  formatRecordCount,
  hasEnded,
  incompleteReason,
  incompleteRowMessages,
  markMissed,
} from './report.ts';
import { type OpenRun, sendRun, withRun } from './send-run.ts';

/** Throws `usage` if the earlier values can't be restored because the history isn't recorded. */
export function refuseWithoutHistory({ endsAt }: Pick<Schedule, 'endsAt'>, isRecorded: boolean): void {
  if (endsAt === null || isRecorded) return;
  throw usage('--until restores earlier values from the history, which is turned off.', {
    hint: boh.hint`To turn it on: ${boh.account('config set', 'history.journal', 'on')}`,
  });
}

/** Begins a set. Throws if it can't be begun now; the set then stays due. */
export async function beginSet(set: ChangeSet, context: ActionContext): Promise<ActionOutcome> {
  const { sets, host } = context;
  const isLate = host.now() - set.startsAt > set.graceMs || hasEnded(set, host);
  if (set.state === 'planned') {
    if (isLate) return markMissed(set, context);
    const { settings } = await host.open({ change: set.name, undoing: undefined });
    refuseWithoutHistory(set, settings.history.journal);
    const isUnchanged = () => {
      const current = sets.all().find(({ id }) => id === set.id);
      return current?.run === set.run && current.startsAt === set.startsAt && current.endsAt === set.endsAt;
    };
    if (!sets.write(() => isUnchanged() && sets.change(set, { state: 'beginning' })))
      return changedConcurrently;
  }
  const begunSet = { ...set, state: 'beginning' as const };
  const isNew = !hasRun(host.folder, set.run);
  const ledger = openSetRun(begunSet, context);
  if (isNew && hasChangedRows(ledger)) {
    ledger.discard();
    return stopSet(begunSet, planChangedReason, sets);
  }
  if (ledger.lastSentAt() === 0 && isLate) {
    ledger.discard();
    return markMissed(begunSet, context);
  }
  const begin = withRun(ledger, set.name, host, async (run) => {
    if (ledger.property('state') === 'finished') return recordBegin(begunSet, ledger, [], context);
    const recheck = { ...run, resolver: new ReferenceResolver(ledger), ...(await historyFor(set.run, host)) };
    const stopReason = ledger.lastSentAt() === 0 ? await findStopReason(begunSet, recheck, sets) : undefined;
    if (stopReason) return stopSet(begunSet, stopReason, sets);
    await sendRun(run, recheck, host);
    return recordBegin(begunSet, ledger, await describeDuplicates(run, host), context);
  });
  try {
    return await begin;
  } catch (error) {
    resetUnsent(begunSet, context);
    throw error;
  }
}

/** Makes a set planned again if nothing of its run was sent, so that it can still be edited or canceled. */
function resetUnsent(set: ChangeSet, { sets, host: { folder } }: ActionContext): void {
  const ledger = openReadableRun(folder, set.run);
  if (ledger?.lastSentAt() !== 0) {
    ledger?.close();
    return;
  }
  ledger.discard();
  sets.change(set, { state: 'planned' });
}

type StopReason = Required<Pick<ActionOutcome, 'message' | 'left'>>;

const planChangedReason: StopReason = {
  message: 'The plan of the set was changed or damaged after it was saved. Nothing was sent.',
  left: [],
};

/** Stops a set that can't be begun, and returns the outcome. */
function stopSet(set: ChangeSet, stopReason: StopReason, sets: ChangeSets): ActionOutcome {
  sets.change(set, { state: 'stopped', reason: stopReason.message });
  return { outcome: 'stopped', ...stopReason };
}

/** Opens the run of a set. If it doesn't exist, creates it from the plan. */
export function openSetRun(set: ChangeSet, { sets, host: { folder } }: ActionContext): Ledger {
  return hasRun(folder, set.run)
    ? openRun(folder, set.run).acquireLock()
    : sets.withPlan(set, (plan) => createRunLedger(folder, set.run, plan));
}

/** Returns the history, and a function that describes the changes of a record since a run was planned. */
export async function historyFor(run: string, host: Host) {
  const history = await host.history();
  const since = { at: startTimeOf(run), run };
  const describeChange: DescribeChange = (location, record) => changedSince(history, location, since, record);
  return { history, describeChange };
}

/** The maximum delay of the service's clock behind the clock of this machine. */
const maxClockDifferenceMs = 60_000;

/**
 * Returns the reason why a set can't be begun: another machine has begun it, or records have changed since it was planned.
 * Returns undefined if it can be begun.
 */
async function findStopReason(
  set: ChangeSet,
  { history, ...recheck }: OpenRun & RecheckContext & { history: Journal | undefined },
  sets: ChangeSets,
): Promise<StopReason | undefined> {
  const { ledger } = recheck;
  if (history) acceptOwnWrites(ledger, history, sets);
  const changed = await findRowsChangedSince(recheck);
  const messages = changed.map(({ row, reason }) => `${row.key ?? row.id ?? ''}: ${reason}`);
  const since = set.startsAt - maxClockDifferenceMs;
  const isWrittenElsewhere = ({ row, record, isAlreadyDone }: ChangedRow) => {
    const hasPlannedValues = isAlreadyDone || row.action === 'create';
    if (!record || !hasPlannedValues || !(updatedAtMs(record) >= since)) return false;
    const resource = String(row.resource ?? ledger.property('resource'));
    const query = { resource, id: String(record.id), since };
    return !history || pageOfEntries(history, query, { limit: 1 }).length === 0;
  };
  const writtenElsewhere = changed.filter(isWrittenElsewhere);
  const alreadyPresent = changed.filter((row) => row.isAlreadyDone || writtenElsewhere.includes(row));
  const nothingSent = "Nothing was sent, and this machine won't restore the earlier values.";
  if (alreadyPresent.length > 0 && alreadyPresent.length === ledger.count('planned'))
    return {
      message: `The account already has all these changes; another machine may have applied them. ${nothingSent}`,
      left: messages,
    };
  if (writtenElsewhere.length > 0)
    return {
      message: `${formatRecordCount(writtenElsewhere)} got the planned values after the start time; another machine may be applying the same changes. ${nothingSent}`,
      left: messages,
    };
  if (changed.length === 0 || set.onChanged === 'skip') return undefined;
  return {
    message: `${formatRecordCount(messages)} changed since it was planned. Nothing was sent.`,
    left: messages,
  };
}

/** Returns when a record was last changed by the clock of the service, in milliseconds since 1970; NaN if it is unknown. */
function updatedAtMs({ updated_at: updatedAt }: Row): number {
  return typeof updatedAt === 'string' ? Date.parse(`${updatedAt.replace(' ', 'T')}Z`) : Number.NaN;
}

/** Returns a message for each record that another machine created at the same time as the run. */
async function describeDuplicates({ ledger, session }: OpenRun, host: Host): Promise<string[]> {
  if ((ledger.counts()['create done'] ?? 0) === 0) return [];
  try {
    const duplicates = await findDuplicates(ledger, session, host.now());
    return duplicates.map(
      ({ key, id, other }) =>
        `${key}: duplicate record: this machine created ${id}, and another machine created ${other} at the same time`,
    );
  } catch (error) {
    // The run has ended, even if this check fails.
    if (!(error instanceof Failure) || error.category === 'interrupted') throw error;
    return [`Could not check whether another machine created the same records: ${error.message}`];
  }
}

/** Stores the outcome of a begun set, and returns it. */
function recordBegin(
  set: ChangeSet,
  ledger: Ledger,
  notes: readonly string[],
  { sets, host }: ActionContext,
): ActionOutcome {
  const rowMessages = [...incompleteRowMessages(ledger), ...notes];
  const state = set.endsAt !== null && hasDoneRows(ledger) ? 'active' : 'ended';
  sets.change(set, { state, begunAt: host.now(), reason: incompleteReason(rowMessages) });
  return completedOutcome('Changes applied', rowMessages);
}
