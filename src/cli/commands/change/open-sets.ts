/** Opens the change sets of the account in use, and ends a set for an undo. */
import { Failure, usage } from '../../../base/errors.ts';
import { boh } from '../../../base/hint.ts';
import { type ChangeSet, isInProgress } from '../../../engine/changes/change-set.ts';
import type { ChangeSets } from '../../../engine/changes/change-sets.ts';
import { openChangeSets } from '../../../engine/changes/open-change-sets.ts';
import type { Context } from '../../context/context.ts';
import type { Result } from '../../output/result.ts';

/** Makes a command go by the clock of the sandbox if the account is one: `sandbox clock set` makes a change set due. */
export async function useSandboxClock(context: Context): Promise<void> {
  if ((await context.settings()).sandbox === undefined) return;
  // Opens the sandbox, which a session does with its first request.
  await (await context.session()).pace(1);
  context.now = context.sandboxNow ?? context.now;
}

/** Opens the change sets of the account; undefined if it has none. They are closed when the command ends. */
export async function openSets(
  context: Context,
  options?: { createsIfMissing: boolean },
): Promise<ChangeSets | undefined> {
  await useSandboxClock(context);
  const sets = openChangeSets(await (await context.session()).folder(), options);
  if (sets) context.recordedWrites.finish.push(() => sets.close());
  return sets;
}

/** Opens the change sets of the account. Throws `not_found` if it has none. */
export async function requireChangeSets(context: Context): Promise<ChangeSets> {
  const sets = await openSets(context);
  if (sets) return sets;
  throw new Failure('not_found', 'This account has no change sets on this machine.', {
    hint: boh.help('change create'),
  });
}

export interface ChangeSetUndo {
  set: ChangeSet;
  /** Called with the ID of the undo run. */
  onRunId(run: string): void;
  /** Returns the result of the undo. When it ends, the set is marked as ended. */
  wrapResult(result: Result): Result;
}

/** Returns the name of the set in progress that a run has begun; undefined if there is none. */
export async function nameOfSetBegunBy(run: string, context: Context): Promise<string | undefined> {
  const sets = await openSets(context);
  return sets?.all().find((set) => set.run === run && isInProgress(set))?.name;
}

/** Locks a change set for this process and returns it. Throws `usage` if it hasn't started. */
export async function lockSetToUndo(
  name: string,
  flags: { out?: string; field?: string },
  context: Context,
): Promise<ChangeSetUndo> {
  const sets = await requireChangeSets(context);
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
