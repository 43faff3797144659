/** Writes that were chosen, taken back: planned, shown, confirmed, and sent through a ledger that can be resumed. */
import type { Ledger } from '../../bulk/ledger/ledger.ts';
import type { LedgerRow } from '../../bulk/ledger/row.ts';
import { noteUndoing } from '../../bulk/ledger/undoing.ts';
import { noteOnChanged } from '../../bulk/run/compare-again.ts';
import { operationOf } from '../../bulk/run/send-row.ts';
import { Failure, usage } from '../../errors.ts';
import { type Chosen, resourcesOf } from '../../history/undo/chosen.ts';
import { planUndo } from '../../history/undo/plan-undo.ts';
import type { Context } from '../../interaction/context.ts';
import { type Result, told } from '../../interaction/output/result.ts';
import { accountInUse } from '../../session/file-owner.ts';
import type { Session } from '../../session/session.ts';
import type { Locks } from '../../storage/lock-queue.ts';
import { note } from '../../terminal/messages.ts';
import { beginLedger } from '../bulk/ledger.ts';
import { lockRun } from '../bulk/lock-run.ts';
import { carriedOut } from '../bulk/run.ts';
import type { RunFlags } from '../bulk/run-flags.ts';
import { runSession } from '../bulk/run-session.ts';
import { confirmPlan, plannedRows } from '../bulk/show-plan.ts';
import type { AnyAccountFlag } from '../flags/any-account.ts';
import { type OpenHistory, openHistory } from './open-history.ts';

export interface Undoing {
  history: OpenHistory;
  chosen: Chosen;
  flags: RunFlags & AnyAccountFlag & { field?: string };
  isRedo: boolean;
}

/** As many of what is left are told before somebody is asked; all of them are in the results. */
const mostTold = 20;

export async function takenBack(undoing: Undoing, context: Context): Promise<Result> {
  const { globals, kept } = context;
  const { flags, isRedo } = undoing;
  if (globals.offline) throw usage('What is there now has to be read, and --offline forbids that.');
  const { called } = undoing.chosen;
  kept.undoing = { takesBack: called, isRedo };
  const command = isRedo ? 'redo' : 'undo';
  const isKept = !globals.dryRun;
  const ledger = beginLedger({ command, resource: undefined, source: called, flags, isKept, context });
  try {
    noteUndoing(ledger, kept.undoing);
    noteOnChanged(ledger, 'field');
    const session = await runSession(context, flags);
    const { locks, history, chosen } = await locked(undoing, session, context);
    ledger.lockedBy(locks);
    const field = flags.field?.replaceAll('-', '_');
    const isMet = await planUndo({ ...history, session, ledger, numbers: chosen.numbers, field });
    history.journal.close();
    const plan = {
      ledger,
      session,
      resource: { noun: 'record', nouns: 'records' },
      called: `${isRedo ? 'Redo' : 'Undo'} of ${called}`,
      verb: 'take back what was written to',
      left: 'left as they are',
      isAsked: true,
    };
    if (ledger.count() === 0) {
      if (chosen.numbers.length > 0 && !isMet) {
        throw new Failure('not_found', `There is nothing to undo: nothing of that was written to ${field}.`, {
          hint: 'See which fields were: boh history',
        });
      }
      ledger.discard();
      const isAny = chosen.numbers.length > 0;
      return told(
        isAny
          ? 'Nothing is to be taken back: everything is as it was before.'
          : 'Nothing is to be taken back: nothing of that was written, or it was refused.',
      );
    }
    if (globals.dryRun) return await plannedRows(plan, {}, context, async () => ledger.discard());
    if (ledger.count('planned') === 0) return nothingGoes(ledger);
    tellLeft(ledger, context);
    await confirmPlan(plan, context);
    const careful = inOrder(ledger, session) ? { ...flags, concurrency: '1' } : flags;
    return await carriedOut({ ledger, session, flags: careful, context, onEnd: async () => ledger.close() });
  } catch (error) {
    ledger.discard();
    throw error;
  }
}

/**
 * What is taken back is locked: it may just be written, or taken back by another process. Where that was waited for, what
 * it has written by now is looked at again.
 */
async function locked(
  { history, chosen, flags, isRedo }: Undoing,
  session: Session,
  context: Context,
): Promise<{ locks: Locks; history: OpenHistory; chosen: Chosen }> {
  const command = `${isRedo ? 'redo' : 'undo'} ${chosen.called}`;
  const resources = resourcesOf(history.journal, chosen);
  const locks = await lockRun({ account: () => accountInUse(session), resources, flags, command }, context);
  if (locks.waitedFor.length === 0) return { locks, history, chosen };
  const later = (await openHistory(context, flags)) ?? history;
  const underWay = locks.waitedFor.flatMap(({ command: other }) => /^undo (.+)$/.exec(other)?.[1] ?? []);
  const again = chosen.again(later.journal, underWay) ?? chosen;
  if (resourcesOf(later.journal, again).every((name) => resources.includes(name)))
    return { locks, history: later, chosen: again };
  locks.release();
  return locked({ history: later, chosen: again, flags, isRedo }, session, context);
}

/** What comes and goes may depend on each other: it goes one after the other, the newest first. */
function inOrder(ledger: Ledger, session: Session): boolean {
  return ledger.stepsToCome().some((step) => operationOf(step, session).effect !== 'update');
}

function tellLeft(ledger: Ledger, { streams }: Context): void {
  let count = 0;
  for (const row of ledger.rows('bad')) {
    if (++count <= mostTold) note(streams, `  ${leftLine(row)}`);
  }
  if (count > mostTold) note(streams, `  … and ${count - mostTold} more are left (--dry-run shows all)`);
}

/** `suppliers “Fresh Farms” (42): Phone left as it is: …` */
function leftLine({ resource, key, error }: LedgerRow): string {
  return `${[resource, key].filter(Boolean).join(' ')}: ${error?.message ?? ''}`;
}

/** Nothing was sent, and nothing is to be gone on with. */
async function nothingGoes(ledger: Ledger): Promise<Result> {
  const left = [...ledger.rows('bad')];
  ledger.discard();
  const failures = left.map((row) => ({
    id: row.id ?? row.key ?? '',
    category: 'partial' as const,
    message: leftLine(row),
  }));
  const [only, ...others] = failures;
  throw new Failure(
    'partial',
    only && others.length === 0 ? only.message : `${failures.length} are left as they are; nothing was sent.`,
    {
      outcome: 'not_sent',
      failures,
      hint:
        only && others.length === 0
          ? 'See what was written since: boh history'
          : failures
              .map(({ message }) => message)
              .slice(0, mostTold)
              .join('\n'),
    },
  );
}
