/** Executes the due actions of an account's change sets, in order. */

import type { Session } from '../../account/session/session.ts';
import { Failure } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Journal } from '../history/journal/journal.ts';
import { entryNumbered, pageOfEntries } from '../history/journal/reading.ts';
import { planUndo } from '../history/undo/plan-undo.ts';
import { resourcesOf, type SelectedWrites, selectRun } from '../history/undo/select-writes.ts';
import { sendsInOrder } from '../history/undo/undo-order.ts';
import type { Ledger } from '../runs/ledger/ledger.ts';
import { newRunId } from '../runs/ledger/run-id.ts';
import {
  createRunLedger,
  hasRun,
  isUnsent,
  openRun,
  recordNewRun,
  recordUndoing,
} from '../runs/ledger/runs.ts';
import { endReplacedRun } from '../runs/ledger/same-rows.ts';
import { recordOnChanged } from '../runs/recheck-rows.ts';
import { beginSet, historyFor, openSetRun } from './begin.ts';
import { type ChangeSet, dueActions, type ScheduledAction } from './change-set.ts';
import type { Host } from './host.ts';
import {
  type ActionContext,
  type ActionOutcome,
  type ActionReport,
  completedOutcome,
  incompleteReason,
  incompleteRowMessages,
  markMissed,
} from './report.ts';
import { type OpenRun, sendRun, withRun } from './send-run.ts';

/** The report of an action, and the failure if the action could not be executed. */
export interface ActionResult {
  report: ActionReport;
  failure?: Failure | undefined;
}

/**
 * Executes the due actions. A set waits for an earlier set that changes the same fields and isn't over. An action that fails
 * for the same reason as the last time has no result: it was reported then, and the set has the reason.
 */
export async function executeDueActions(
  due: readonly ScheduledAction[],
  context: ActionContext,
): Promise<ActionResult[]> {
  const { sets, host } = context;
  const results: ActionResult[] = [];
  const unfinishedSets: ChangeSet[] = [];
  for (const { set } of due) {
    // The set may have been edited or canceled since.
    const currentSets = sets.all().filter(({ id }) => id === set.id);
    const [action] = dueActions(currentSets, host.now());
    if (!action) continue;
    const earlierSet = unfinishedSets.find((openSet) => sets.haveSharedFields(action.set, openSet));
    const result = earlierSet ? waitingResult(action, earlierSet) : await tryExecute(action, context);
    const { outcome, message } = result.report;
    if (outcome === 'failed' || outcome === 'waiting') {
      unfinishedSets.push(action.set);
      if (action.set.reason === message) continue;
      const current = sets.all().find(({ id }) => id === set.id);
      if (current) sets.change(current, { reason: message });
    }
    results.push(result);
  }
  return results;
}

function waitingResult({ set: { name }, kind: act }: ScheduledAction, earlierSet: ChangeSet): ActionResult {
  const message = `Waits for change set ${earlierSet.name}, which changes the same fields and comes first.`;
  return { report: { name, act, outcome: 'waiting', run: null, message, left: [] } };
}

async function tryExecute(action: ScheduledAction, context: ActionContext): Promise<ActionResult> {
  try {
    return { report: await executeAction(action, context) };
  } catch (error) {
    if (!(error instanceof Failure) || error.category === 'interrupted' || error.category === 'internal')
      throw error;
    const { message } = error;
    const { set, kind } = action;
    return {
      report: { name: set.name, act: kind, outcome: 'failed', run: null, message, left: [] },
      failure: error,
    };
  }
}

/** Executes a due action. Throws if it can't be executed now; the action then stays due. */
export async function executeAction(
  { set, kind }: ScheduledAction,
  context: ActionContext,
): Promise<ActionReport> {
  const outcome = await (kind === 'begin' ? beginSet(set, context) : endSet(set, context));
  return { name: set.name, act: kind, run: kind === 'begin' ? set.run : null, left: [], ...outcome };
}

/** Restores the earlier values. Throws if they can't be restored now; the set then stays due. */
async function endSet(set: ChangeSet, context: ActionContext): Promise<ActionOutcome> {
  const { sets, host } = context;
  if (set.state === 'planned') return markMissed(set, context);
  let begunSet = set;
  if (set.state === 'beginning') {
    if (!(await endInterruptedBegin(set, context))) return markMissed(set, context);
    sets.change(set, { state: 'active', begunAt: set.startsAt });
    begunSet = { ...set, state: 'active' };
  }
  const { ledger, run } = openReturnRun(begunSet, context);
  return withRun(ledger, set.name, host, async (openedRun) => {
    if (isUnsent(ledger)) await planReturn(begunSet, openedRun, host);
    if (ledger.property('state') !== 'finished') {
      const { describeChange } = await historyFor(run, host);
      await sendRun(openedRun, { describeChange, isInOrder: sendsInOrder(ledger, openedRun.session) }, host);
    }
    const rowMessages = incompleteRowMessages(ledger);
    const returningSet = { ...begunSet, state: 'returning' as const };
    sets.change(returningSet, {
      state: 'ended',
      returnedAt: host.now(),
      reason: incompleteReason(rowMessages),
    });
    return { ...completedOutcome('Earlier values restored', rowMessages), run };
  });
}

/**
 * Ends the run of a set whose begin was interrupted and whose end time has passed: requests with an unknown outcome are
 * looked up, and unsent rows stay unsent. Returns false if nothing was sent.
 */
async function endInterruptedBegin(set: ChangeSet, context: ActionContext): Promise<boolean> {
  const ledger = openSetRun(set, context);
  if (ledger.lastSentAt() === 0) {
    ledger.discard();
    return false;
  }
  const { now, signal } = context.host;
  await withRun(ledger, set.name, context.host, ({ session }) =>
    endReplacedRun({ ledger, session, now, signal }),
  );
  return true;
}

/** Opens the run that restores the earlier values. If none of its rows were sent, opens a new run, which must be planned. */
function openReturnRun(set: ChangeSet, { sets, host }: ActionContext): { ledger: Ledger; run: string } {
  const { folder } = host;
  if (set.returnRun !== null && hasRun(folder, set.returnRun)) {
    const ledger = openRun(folder, set.returnRun).acquireLock();
    if (!isUnsent(ledger)) return { ledger, run: set.returnRun };
    ledger.discard();
  }
  const now = new Date(host.now());
  const run = newRunId(now);
  const ledger = createRunLedger(folder, run);
  recordNewRun(ledger, { id: run, name: run, command: `change ${set.name}`, source: set.run, now });
  recordUndoing(ledger, { takesBack: set.run, isRedo: false });
  recordOnChanged(ledger, 'field');
  sets.change(set, { state: 'returning', returnRun: run });
  return { ledger, run };
}

/** Plans the undo of the run of a set with the rules of undo: only values that no one has changed since are restored. */
async function planReturn({ name, run }: ChangeSet, { ledger, session }: OpenRun, host: Host): Promise<void> {
  const journal = await host.history();
  const selected = journal && selectRun(journal, run);
  if (!journal || !selected)
    throw new Failure(
      'not_found',
      `The history has no writes of change set ${name}, so nothing can be restored.`,
      { hint: boh.hint`To list its changes: ${boh.account('runs show', run)}` },
    );
  await host.lock(ledger, session, resourcesOf(journal, selected));
  await planUndo({ journal, session, ledger, numbers: selected.numbers });
  addRestoredElsewhere(ledger, selected, journal, session);
}

/** Adds a skipped row for each record that already has its earlier values, although this machine hasn't restored them. */
function addRestoredElsewhere(
  ledger: Ledger,
  { numbers }: SelectedWrites,
  journal: Journal,
  { api }: Pick<Session, 'api'>,
): void {
  const plannedRecords = new Set(
    [...ledger.rows('planned', 'bad', 'done')].map(({ resource, id }) => `${resource} ${id}`),
  );
  const seenRecords = new Set<string>();
  for (const number of numbers) {
    const { resource, id, run, sent } = entryNumbered(journal, number) ?? {};
    if (!resource || !id || plannedRecords.has(`${resource} ${id}`) || seenRecords.has(`${resource} ${id}`))
      continue;
    seenRecords.add(`${resource} ${id}`);
    const [newestEntry] = pageOfEntries(journal, { resource, id }, { limit: 1 });
    if (newestEntry?.run !== run) continue;
    const message = 'already has its earlier values; another machine may have restored them';
    const error = { category: 'partial' as const, message, fields: null };
    const key = sent?.before?.[api.resource(resource)?.title ?? ''];
    ledger.add([{ line: null, key: String(key ?? id), resource, id, state: 'bad', action: 'skip', error }]);
  }
}
