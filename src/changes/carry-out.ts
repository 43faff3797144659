/** Carries out the due acts of an account's change sets, in their order. */
import { Failure } from '../base/errors.ts';
import { begin } from './begin.ts';
import { type Act, type ChangeSet, dueActs } from './change-set.ts';
import type { ActContext, Report } from './report.ts';
import { restore } from './restore.ts';

/** The report of an act, and the failure if the act could not be carried out. */
export interface ActResult {
  report: Report;
  failure?: Failure | undefined;
}

/** Carries out the due acts. A set waits for an earlier set that changes the same fields and isn't over. */
export async function carryOutDue(due: readonly Act[], acting: ActContext): Promise<ActResult[]> {
  const { sets, host } = acting;
  const done: ActResult[] = [];
  const open: ChangeSet[] = [];
  for (const { set } of due) {
    // The set may have been edited or canceled since.
    const own = sets.all().filter(({ id }) => id === set.id);
    const [act] = dueActs(own, host.now());
    if (!act) continue;
    const earlier = open.find((other) => sets.haveSharedFields(act.set, other));
    const carried = earlier ? waitingResult(act, earlier) : await tryAct(act, acting);
    if (carried.report.outcome === 'failed' || carried.report.outcome === 'waiting') open.push(act.set);
    done.push(carried);
  }
  return done;
}

function waitingResult({ set: { name }, kind: act }: Act, earlier: ChangeSet): ActResult {
  const message = `Waits for change set ${earlier.name}, which changes the same fields and comes first.`;
  return { report: { name, act, outcome: 'waiting', run: null, message, left: [] } };
}

async function tryAct(act: Act, acting: ActContext): Promise<ActResult> {
  try {
    return { report: await carryOutAct(act, acting) };
  } catch (error) {
    if (!(error instanceof Failure) || error.category === 'interrupted' || error.category === 'internal')
      throw error;
    const { message } = error;
    const { set, kind } = act;
    return {
      report: { name: set.name, act: kind, outcome: 'failed', run: null, message, left: [] },
      failure: error,
    };
  }
}

/** Carries out a due act. Throws if it can't be carried out now; the act then stays due. */
export async function carryOutAct({ set, kind }: Act, acting: ActContext): Promise<Report> {
  const outcome = await (kind === 'begin' ? begin(set, acting) : restore(set, acting));
  return { name: set.name, act: kind, run: kind === 'begin' ? set.run : null, left: [], ...outcome };
}
