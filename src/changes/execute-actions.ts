/** Executes the due actions of an account's change sets, in order. */
import { Failure } from '../base/errors.ts';
import { beginSet } from './begin.ts';
import { type ChangeSet, dueActions, type ScheduledAction } from './change-set.ts';
import { endSet } from './end.ts';
import type { ActionContext, ActionReport } from './report.ts';

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
