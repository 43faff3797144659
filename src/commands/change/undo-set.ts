/** `boh undo --change NAME`: ends a change set before its end. */
import { usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { type ChangeSet, isBegun } from '../../changes/change-set.ts';
import type { Context } from '../../context/context.ts';
import type { Result } from '../../output/result.ts';
import type { AnyAccountFlag } from '../flags/shared-flags.ts';
import { setsThere } from './open-sets.ts';

/** A change set that is undone. */
export interface UndoneSet {
  set: ChangeSet;
  /** Called with the id of the undo. */
  onLedger(run: string): void;
  /** Returns the result of the undo; at its end the set is recorded as over. */
  undone(result: Result): Result;
}

/** Returns a set that has begun, locked for this process. Throws `usage` for one that hasn't started. */
export async function setToUndo(
  name: string,
  flags: AnyAccountFlag & { out?: string; field?: string },
  context: Context,
): Promise<UndoneSet> {
  const sets = await setsThere(context, flags);
  const hold = sets.lock();
  context.atEnd.push(() => hold.release());
  const set = sets.get(name);
  if (set.state === 'planned')
    throw usage(`Change set ${name} hasn't started.`, {
      hint: boh.hint`To cancel it: ${boh.account('change cancel', name)}`,
    });
  context.kept.change = name;
  const isAll = !context.globals.dryRun && flags.out === undefined && flags.field === undefined;
  let undo: string | null = null;
  const end = () => {
    if (isAll && isBegun(set))
      sets.change(set, { state: 'ended', returnRun: undo, returnedAt: context.now().getTime() });
  };
  return {
    set,
    onLedger: (run) => {
      undo = run;
    },
    undone: (result) => {
      if (result.kind !== 'run') {
        end();
        return result;
      }
      const ended = async () => {
        const { failure, notes = [] } = await result.end();
        if (!failure || failure.category === 'partial') end();
        return { failure, notes };
      };
      return { ...result, end: ended };
    },
  };
}
