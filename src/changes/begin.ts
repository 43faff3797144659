/** Begins a change set: compares its plan with the account again, and sends it as a run. */
import { existsSync } from 'node:fs';
import { Failure, usage } from '../base/errors.ts';
import { boh } from '../base/hint.ts';
import { pageOfEntries } from '../history/journal/reading.ts';
import { changedSince, type JournalScope } from '../history/undo/changed-since.ts';
import { findDuplicates } from '../runs/concurrent-duplicates.ts';
import type { Ledger } from '../runs/ledger/ledger.ts';
import { lostLedger } from '../runs/ledger/loss.ts';
import { haveRowsChanged } from '../runs/ledger/row-digest.ts';
import { startTimeOf } from '../runs/ledger/run-id.ts';
import { isAnyDone, ledgerFile, openLedger } from '../runs/ledger/runs.ts';
import { OtherRows } from '../runs/other-rows.ts';
import {
  type ChangedRow,
  changedRows,
  type DescribeChange,
  type RecheckContext,
} from '../runs/recheck-rows.ts';
import type { Row } from '../session/row.ts';
import type { ChangeSet, Schedule } from './change-set.ts';
import type { ChangeSets } from './change-sets.ts';
import type { Host } from './host.ts';
import { acceptOwnWrites } from './own-writes.ts';
import {
  type ActContext,
  type ActOutcome,
  changedConcurrently,
  hasEnded,
  markMissed,
  outcomeWith,
  reasonOf,
  recordsIn,
  unsentRows,
} from './report.ts';
import { type OpenRun, sendRun, withRun } from './send-run.ts';

/** Throws `usage` if the earlier values can't be restored because the history isn't recorded. */
export function refuseWithoutHistory({ until }: Pick<Schedule, 'until'>, isRecorded: boolean): void {
  if (until === null || isRecorded) return;
  throw usage('--until restores earlier values from the history, which is turned off.', {
    hint: boh.hint`To turn it on: ${boh.account('config set', 'history.journal', 'on')}`,
  });
}

/** Begins a set. Throws if it can't be begun now; the set then stays due. */
export async function begin(set: ChangeSet, acting: ActContext): Promise<ActOutcome> {
  const { sets, host } = acting;
  const isLate = host.now() - set.at > set.grace || hasEnded(set, host);
  if (set.state === 'planned') {
    if (isLate) return markMissed(set, acting);
    const { settings } = await host.open({ change: set.name, undoing: undefined });
    refuseWithoutHistory(set, settings.history.journal);
    const isAsRead = () => {
      const now = sets.all().find(({ id }) => id === set.id);
      return now?.run === set.run && now.at === set.at && now.until === set.until;
    };
    if (!sets.write(() => isAsRead() && sets.change(set, { state: 'beginning' }))) return changedConcurrently;
  }
  const begun = { ...set, state: 'beginning' as const };
  const isNew = !existsSync(ledgerFile(host.env, set.run));
  const ledger = openRunOfSet(begun, acting);
  if (isNew && haveRowsChanged(ledger)) {
    ledger.discard();
    return stop(begun, planChanged, sets);
  }
  if (ledger.lastSentAt() === 0 && isLate) {
    ledger.discard();
    return markMissed(begun, acting);
  }
  return withRun(ledger, set.name, host, async (run) => {
    if (ledger.fact('state') === 'finished') return recordBegin(begun, ledger, [], acting);
    const compared = { ...run, others: new OtherRows(ledger), ...(await historyFor(set.run, host)) };
    const stopped = ledger.lastSentAt() === 0 ? await stopReasonOf(begun, compared, sets) : undefined;
    if (stopped) return stop(begun, stopped, sets);
    await sendRun(run, compared, host);
    return recordBegin(begun, ledger, await describeDuplicates(run, host), acting);
  });
}

type StopReason = Required<Pick<ActOutcome, 'message' | 'left'>>;

const planChanged: StopReason = {
  message: 'The plan of the set was changed or damaged after it was saved. Nothing was sent.',
  left: [],
};

/** Ends a set that can't be begun. */
function stop(set: ChangeSet, stopped: StopReason, sets: ChangeSets): ActOutcome {
  sets.change(set, { state: 'stopped', reason: stopped.message });
  return { outcome: 'stopped', ...stopped };
}

/** Opens the run of a set. If its ledger doesn't exist, it is written first. */
export function openRunOfSet(set: ChangeSet, { sets, host: { env } }: ActContext): Ledger {
  const file = ledgerFile(env, set.run);
  if (!existsSync(file)) sets.writePlan(set, file);
  const ledger = openLedger(env, file).acquireLock();
  const loss = ledger.loss();
  if (!loss?.isWhole) return ledger;
  ledger.close();
  throw lostLedger(file, loss);
}

/** Returns the history, and a function that describes who has changed a record since a run was planned. */
export async function historyFor(run: string, host: Host) {
  const history = await host.history();
  const since = { at: startTimeOf(run), run };
  const describeChange: DescribeChange = (place, record) => changedSince(history, place, since, record);
  return { history, describeChange };
}

/** How far the clock of the service may be behind the clock of this machine, in milliseconds. */
const clockDifferenceMs = 60_000;

/** Returns why a set can't be begun: another machine has begun it, or records have changed since it was planned. */
async function stopReasonOf(
  set: ChangeSet,
  { history, ...compared }: OpenRun & RecheckContext & { history: JournalScope | undefined },
  sets: ChangeSets,
): Promise<StopReason | undefined> {
  const { ledger } = compared;
  const runs = sets.all().flatMap(({ run, returnRun }) => [run, ...(returnRun === null ? [] : [returnRun])]);
  if (history) acceptOwnWrites(ledger, history, new Set(runs));
  const changed = await changedRows(compared);
  const left = changed.map(({ row, reason: why }) => `${row.key ?? row.id ?? ''}: ${why}`);
  const since = set.at - clockDifferenceMs;
  const isElsewhere = ({ row, record, isAlreadyDone: isDone }: ChangedRow) => {
    const isSame = isDone || row.action === 'create';
    if (!record || !isSame || !(changedAt(record) >= since)) return false;
    const resource = String(row.resource ?? ledger.fact('resource'));
    const ofRecord = { resource, id: String(record.id), since, accounts: history?.accounts };
    return !history || pageOfEntries(history.journal, ofRecord, { limit: 1 }).length === 0;
  };
  const elsewhere = changed.filter(isElsewhere);
  const present = changed.filter((row) => row.isAlreadyDone || elsewhere.includes(row));
  const nothingSent = "Nothing was sent, and this machine won't restore the earlier values.";
  if (present.length > 0 && present.length === ledger.count('planned'))
    return {
      message: `The account already has all these changes; another machine may have applied them. ${nothingSent}`,
      left,
    };
  if (elsewhere.length > 0)
    return {
      message: `${recordsIn(elsewhere)} got the planned values after the start time; another machine may be applying the same changes. ${nothingSent}`,
      left,
    };
  if (changed.length === 0 || set.onChanged === 'skip') return undefined;
  return { message: `${recordsIn(left)} changed since it was planned. Nothing was sent.`, left };
}

/** Returns when a record was last changed, by the clock of the service, in milliseconds since 1970; NaN if it isn't shown. */
function changedAt({ updated_at: at }: Row): number {
  return typeof at === 'string' ? Date.parse(`${at.replace(' ', 'T')}Z`) : Number.NaN;
}

/** Returns a message for each record that another machine has created at the same time as the run. */
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

/** Records the outcome of a begin. */
function recordBegin(
  set: ChangeSet,
  ledger: Ledger,
  notes: readonly string[],
  { sets, host }: ActContext,
): ActOutcome {
  const left = [...unsentRows(ledger), ...notes];
  const state = set.until !== null && isAnyDone(ledger) ? 'active' : 'ended';
  sets.change(set, { state, begunAt: host.now(), reason: reasonOf(left) });
  return outcomeWith('Changes applied', left);
}
