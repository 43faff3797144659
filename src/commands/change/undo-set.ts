/** `boh undo --change NAME`, and the undo of the run that began a set: ends a change set before its end time. */
import { usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { type ChangeSet, isInProgress } from '../../changes/change-set.ts';
import type { Context } from '../../context/context.ts';
import type { Result } from '../../output/result.ts';
import type { AnyAccountFlag } from '../flags/shared-flags.ts';
import { openSets, requireChangeSets } from './open-sets.ts';

/** The undo of a change set. */
export interface ChangeSetUndo {
  set: ChangeSet;
  /** Called with the ID of the undo run. */
  onRunId(run: string): void;
  /** Returns the result of the undo. When it ends, the set is marked as ended. */
  wrapResult(result: Result): Result;
}

/** Returns the name of the set in progress that a run has begun; undefined if there is none. */
export async function nameOfSetBegunBy(
  run: string,
  flags: AnyAccountFlag,
  context: Context,
): Promise<string | undefined> {
  const { sets } = await openSets(context, flags);
  return sets?.all().find((set) => set.run === run && isInProgress(set))?.name;
}

/** Locks a change set for this process and returns it. Throws `usage` if it hasn't started. */
export async function lockSetToUndo(
  name: string,
  flags: AnyAccountFlag & { out?: string; field?: string },
  context: Context,
): Promise<ChangeSetUndo> {
  const sets = await requireChangeSets(context, flags);
  const lock = sets.lock();
  context.atEnd.push(() => lock.release());
  const set = sets.get(name);
  if (set.state === 'planned')
    throw usage(`Change set ${name} hasn't started.`, {
      hint: boh.hint`To cancel it: ${boh.account('change cancel', name)}`,
    });
  context.recordedWrites.change = name;
  const undoesAll = !context.globals.dryRun && flags.out === undefined && flags.field === undefined;
  let undoRun: string | null = null;
  const endSet = () => {
    if (undoesAll && isInProgress(set))
      sets.change(set, { state: 'ended', returnRun: undoRun, returnedAt: context.now().getTime() });
  };
  return {
    set,
    onRunId: (run) => {
      undoRun = run;
    },
    wrapResult: (result) => {
      if (result.kind !== 'run') {
        endSet();
        return result;
      }
      const endResult = async () => {
        const { failure, notes = [] } = await result.end();
        if (!failure || failure.category === 'partial') endSet();
        return { failure, notes };
      };
      return { ...result, end: endResult };
    },
  };
}
