/** Begins and ends change sets: the plan as a run, and its undo. Each step can be resumed after a kill. */
import { existsSync } from 'node:fs';
import { Failure } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { firstItems } from '../../base/shown-items.ts';
import type { Act, ChangeSet } from '../../changes/change-set.ts';
import type { ChangeSets } from '../../changes/change-sets.ts';
import { acceptOwnWrites } from '../../changes/own-writes.ts';
import type { Context } from '../../context/context.ts';
import { selectRun } from '../../history/undo/select-writes.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import { lostLedger } from '../../runs/ledger/loss.ts';
import { isUnsent, ledgerFile, openLedger, openRun } from '../../runs/ledger/runs.ts';
import { endRun } from '../../runs/ledger/unfinished-runs.ts';
import { OtherRows } from '../../runs/other-rows.ts';
import { rowsChanged } from '../../runs/recheck-rows.ts';
import { reconcile, reportReconciledRows } from '../../runs/reconcile.ts';
import { openHistory } from '../history/open-history.ts';
import { completeHistory } from '../history/undo.ts';
import { undoWrites } from '../history/undo-writes.ts';
import { refuseWithoutHistory } from './create.ts';
import {
  drain,
  isComplete,
  isSent,
  leftIn,
  type Reopened,
  type RunOutcome,
  reopened,
  resume,
} from './send-run.ts';

/** The outcome of a due act, as JSON. */
export interface Report {
  name: string;
  act: Act['kind'];
  /**
   * `done`: all of it. `partial`: it is over, and something is left. `missed`, `stopped`: nothing was sent, and nothing
   * will be. `waiting`: for another set. `failed`: the next `change run` tries again.
   */
  outcome: 'done' | 'partial' | 'missed' | 'stopped' | 'waiting' | 'failed';
  /** The id of the run. */
  run: string | null;
  message: string;
  /** What was left unchanged or failed: a sentence for each record. */
  left: string[];
}

/** What an act needs to be carried out. */
export interface ActContext {
  sets: ChangeSets;
  context: Context;
}

/** The outcome of an act without its name. */
type ActOutcome = Pick<Report, 'outcome' | 'message'> & Partial<Pick<Report, 'left' | 'run'>>;

/** Carries out a due act. Throws what keeps it from being carried out now; it stays due then. */
export async function carryOutAct({ set, kind }: Act, actContext: ActContext): Promise<Report> {
  actContext.context.kept.change = set.name;
  const outcome = await (kind === 'begin' ? begin(set, actContext) : restore(set, actContext));
  return { name: set.name, act: kind, run: kind === 'begin' ? set.run : null, left: [], ...outcome };
}

async function begin(set: ChangeSet, actContext: ActContext): Promise<ActOutcome> {
  const { sets, context } = actContext;
  const now = context.now().getTime();
  const isLate = now - set.at > set.grace || (set.until !== null && set.until <= now);
  if (set.state === 'planned') {
    if (isLate) return markMissed(set, actContext);
    await refuseWithoutHistory(set, context);
    const isAsRead = () =>
      sets.all().some(({ id, at, until }) => id === set.id && at === set.at && until === set.until);
    if (!sets.write(() => isAsRead() && sets.change(set, { state: 'beginning' }))) return changedMeanwhile;
  }
  const begun = { ...set, state: 'beginning' as const };
  const ledger = planOfSet(begun, actContext);
  const isNew = ledger.lastSent() === 0;
  if (isNew && isLate) {
    ledger.discard();
    return markMissed(begun, actContext);
  }
  if (ledger.fact('state') === 'finished') {
    const sent = isSent(ledger);
    ledger.close();
    return recordBegin(begun, { left: [], isComplete: true }, sent, actContext);
  }
  const check = isNew ? (run: Reopened) => whyNotBegun(begun, run, actContext) : undefined;
  const { stopped, ...ran } = await resume(ledger, context, check);
  if (stopped === undefined) return recordBegin(begun, ran, ran.isSent, actContext);
  sets.change(begun, { state: 'stopped', reason: stopped.message });
  return { outcome: 'stopped', ...stopped };
}

const changedMeanwhile: ActOutcome = {
  outcome: 'failed',
  message: 'The set was edited or canceled at the same time.',
};

function markMissed(set: ChangeSet, { sets, context }: ActContext): ActOutcome {
  const hasEnded = set.until !== null && set.until <= context.now().getTime();
  const why = hasEnded ? 'The end time has passed.' : 'It is later than --grace allows after the start time.';
  const message = `${why} Nothing was sent.`;
  return sets.change(set, { state: 'missed', reason: message })
    ? { outcome: 'missed', message }
    : changedMeanwhile;
}

/** Records how a begin ended. */
function recordBegin(
  set: ChangeSet,
  { left, isComplete: isAll, failure }: Omit<RunOutcome, 'isSent' | 'stopped'>,
  sent: boolean,
  { sets, context }: ActContext,
): ActOutcome {
  if (!isAll) throw failure ?? new Failure('unavailable', 'Some rows have an unknown outcome.');
  const isKept = set.until !== null && sent;
  const reason = left.length > 0 ? firstItems(left).join(' ') : null;
  sets.change(set, { state: isKept ? 'active' : 'ended', begunAt: context.now().getTime(), reason });
  if (left.length === 0) return { outcome: 'done', message: 'Changes applied.' };
  return { outcome: 'partial', message: `Changes applied, except for ${recordsIn(left)}.`, left };
}

function recordsIn(left: readonly string[]): string {
  return left.length === 1 ? '1 record' : `${left.length} records`;
}

/** Returns why a set isn't begun, as its records have changed since it was planned; undefined if it is. */
async function whyNotBegun(
  set: ChangeSet,
  { ledger, session, who: whoChanged }: Reopened,
  { sets, context }: ActContext,
): Promise<Pick<Report, 'message' | 'left'> | undefined> {
  const history = await openHistory(context);
  const runs = sets.all().flatMap(({ run, returnRun }) => [run, ...(returnRun === null ? [] : [returnRun])]);
  if (history) acceptOwnWrites(ledger, history, new Set(runs));
  const changed = await rowsChanged({ ledger, session, others: new OtherRows(ledger), whoChanged });
  const left = changed.map(({ row, why }) => `${row.key ?? row.id ?? ''}: ${why}`);
  if (
    changed.length > 0 &&
    changed.length === ledger.count('planned') &&
    changed.every(({ isDone }) => isDone)
  )
    return {
      message:
        "The account already has all these changes; another machine may have applied them. Nothing was sent, and this machine won't restore the earlier values.",
      left,
    };
  if (changed.length === 0 || set.onChanged === 'skip') return undefined;
  return { message: `${recordsIn(left)} changed since it was planned. Nothing was sent.`, left };
}

/** Opens the run of a set; its ledger is written first if it doesn't exist. */
function planOfSet(set: ChangeSet, { sets, context: { env } }: ActContext): Ledger {
  const file = ledgerFile(env, set.run);
  if (!existsSync(file)) sets.writePlan(set, file);
  const ledger = openLedger(env, file).keep();
  const loss = ledger.loss();
  if (!loss?.isWhole) return ledger;
  ledger.close();
  throw lostLedger(file, loss);
}

async function restore(set: ChangeSet, actContext: ActContext): Promise<ActOutcome> {
  const { sets, context } = actContext;
  if (set.state === 'planned') return markMissed(set, actContext);
  let begun = set;
  if (set.state === 'beginning') {
    if (await isNotBegun(set, actContext)) return markMissed(set, actContext);
    sets.change(set, { state: 'active', begunAt: set.at });
    begun = { ...set, state: 'active' };
  }
  const earlier = begun.returnRun === null ? undefined : returnLedger(begun.returnRun, context);
  if (earlier) {
    const isFinished = earlier.fact('state') === 'finished';
    const left = leftIn(earlier);
    if (isFinished) earlier.close();
    const ran = isFinished ? { isComplete: true, left } : await resume(earlier, context);
    return recordRestore(begun, ran, actContext);
  }
  return recordRestore(begun, await undoSet(begun, actContext), actContext);
}

/** Returns the ledger of a return that was begun; undefined if nothing of it was sent: then it is planned again. */
function returnLedger(run: string, { env }: Context): Ledger | undefined {
  if (!existsSync(ledgerFile(env, run))) return undefined;
  const ledger = openRun(env, run).keep();
  if (!isUnsent(ledger)) return ledger;
  ledger.discard();
  return undefined;
}

/**
 * Ends a begin that was interrupted until its end came: what was sent is looked up, the rest isn't sent. Returns true if
 * nothing was sent.
 */
async function isNotBegun(set: ChangeSet, actContext: ActContext): Promise<boolean> {
  const { context } = actContext;
  const ledger = planOfSet(set, actContext);
  if (ledger.lastSent() === 0) {
    ledger.discard();
    return true;
  }
  try {
    const run = await reopened(ledger, context);
    await run.close();
    const others = new OtherRows(ledger);
    const key = (ledger.fact('key') as string[] | undefined) ?? [];
    for (const row of [...ledger.rows('sent', 'unknown')])
      await reconcile(row, { ledger, session: run.session, others, key });
    await reportReconciledRows({ ledger, session: run.session });
    await run.session.runs.ended();
  } finally {
    ledger.close();
  }
  endRun(context.env, set.run);
  return false;
}

/** Undoes the run of a set with the rules of undo: only values that no one has changed since are restored. */
async function undoSet(
  set: ChangeSet,
  { sets, context }: ActContext,
): Promise<Omit<RunOutcome, 'isSent' | 'stopped'>> {
  // The ledgers of runs that are over are deleted after a time.
  if (existsSync(ledgerFile(context.env, set.run))) await completeHistory([set.run], context);
  const history = await openHistory(context);
  const chosen = history && selectRun(history.journal, set.run, { accounts: history.accounts });
  if (!history || !chosen)
    throw new Failure(
      'not_found',
      `The history has no writes of change set ${set.name}, so nothing can be restored.`,
      {
        hint: boh.hint`To list its changes: ${boh.account('runs show', set.run)}`,
      },
    );
  let run = '';
  const onLedger = (id: string) => {
    run = id;
    sets.change(set, { state: 'returning', returnRun: id });
  };
  try {
    // Earlier values come back, whatever boh lint finds in them.
    const { failure } = await drain(
      await undoWrites({ history, chosen, flags: { failOn: 'never' }, isRedo: false, onLedger }, context),
    );
    if (failure?.category === 'interrupted') throw failure;
    if (!existsSync(ledgerFile(context.env, run))) return { isComplete: true, left: [] };
    const ledger = openRun(context.env, run);
    const ran = { isComplete: isComplete(ledger), left: leftIn(ledger), failure };
    ledger.close();
    return ran;
  } catch (error) {
    // Everything was changed since: nothing is restored.
    if (!(error instanceof Failure) || error.category !== 'partial' || !error.details.failures) throw error;
    return { isComplete: true, left: error.details.failures.map(({ message }) => message) };
  }
}

/** Records how a return ended. */
function recordRestore(
  set: ChangeSet,
  { isComplete: isAll, left, failure }: Omit<RunOutcome, 'isSent' | 'stopped'>,
  { sets, context }: ActContext,
): ActOutcome {
  const now = sets.all().find(({ id }) => id === set.id) ?? set;
  if (!isAll) throw failure ?? new Failure('unavailable', 'Some rows have an unknown outcome.');
  const reason = left.length > 0 ? firstItems(left).join(' ') : null;
  sets.change(now, { state: 'ended', returnedAt: context.now().getTime(), reason });
  const run = now.returnRun;
  if (left.length === 0) return { outcome: 'done', message: 'Earlier values restored.', run };
  return {
    outcome: 'partial',
    message: `Earlier values restored, except for ${recordsIn(left)}.`,
    left,
    run,
  };
}
