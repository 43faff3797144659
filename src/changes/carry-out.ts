/** Carries out what is due of the change sets of an account, in its order. */
import { Failure } from '../base/errors.ts';
import { begin } from './begin.ts';
import { type Act, type ChangeSet, dueActs } from './change-set.ts';
import type { Acting, Report } from './report.ts';
import { restore } from './restore.ts';

/** A report, and the failure that kept the act from being carried out. */
export interface Carried {
  report: Report;
  failure?: Failure | undefined;
}

/** Carries out what is due. A set waits while an earlier one that changes the same fields isn't over. */
export async function carryOutDue(due: readonly Act[], acting: Acting): Promise<Carried[]> {
  const { sets, host } = acting;
  const done: Carried[] = [];
  const open: ChangeSet[] = [];
  for (const { set } of due) {
    // It may have been edited or canceled since.
    const own = sets.all().filter(({ id }) => id === set.id);
    const [act] = dueActs(own, host.now());
    if (!act) continue;
    const earlier = open.find((other) => sets.isShared(act.set, other));
    const carried = earlier ? waiting(act, earlier) : await carriedOut(act, acting);
    if (carried.report.outcome === 'failed' || carried.report.outcome === 'waiting') open.push(act.set);
    done.push(carried);
  }
  return done;
}

function waiting({ set: { name }, kind: act }: Act, earlier: ChangeSet): Carried {
  const message = `Waits for change set ${earlier.name}, which changes the same fields and comes first.`;
  return { report: { name, act, outcome: 'waiting', run: null, message, left: [] } };
}

async function carriedOut(act: Act, acting: Acting): Promise<Carried> {
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

/** Carries out a due act. Throws what keeps it from being carried out now; it stays due then. */
export async function carryOutAct({ set, kind }: Act, acting: Acting): Promise<Report> {
  const outcome = await (kind === 'begin' ? begin(set, acting) : restore(set, acting));
  return { name: set.name, act: kind, run: kind === 'begin' ? set.run : null, left: [], ...outcome };
}
