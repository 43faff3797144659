/** Plans the reverse of chosen writes, shows the plan, asks, and sends it through a ledger that can be resumed. */
import { Failure, usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { maxShownItems } from '../../base/shown-items.ts';
import type { Context } from '../../context/context.ts';
import { planUndo } from '../../history/undo/plan-undo.ts';
import { resourcesOf, type SelectedWrites } from '../../history/undo/select-writes.ts';
import { sendsInOrder } from '../../history/undo/undo-order.ts';
import { messageResult, type Result } from '../../output/result.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import type { LedgerRow } from '../../runs/ledger/row.ts';
import { noteUndoing } from '../../runs/ledger/undoing.ts';
import { noteOnChanged } from '../../runs/recheck-rows.ts';
import type { Session } from '../../session/session.ts';
import type { Locks } from '../../storage/lock-queue.ts';
import { inNewLedger } from '../bulk/ledger.ts';
import { lockRun } from '../bulk/lock-run.ts';
import type { RunFlags } from '../bulk/run-flags.ts';
import { runPlan } from '../bulk/run-plan.ts';
import { runSession } from '../bulk/run-session.ts';
import type { AnyAccountFlag } from '../flags/shared-flags.ts';
import { type OpenHistory, openHistory } from './open-history.ts';

/** An undo or a redo. */
export interface Undoing {
  history: OpenHistory;
  chosen: SelectedWrites;
  flags: RunFlags & AnyAccountFlag & { field?: string };
  isRedo: boolean;
  /** Called with the id of its run, before anything is sent. */
  onLedger?: ((run: string) => void) | undefined;
}

/** Plans and sends the undo of chosen writes. */
export async function undoWrites(undoing: Undoing, context: Context): Promise<Result> {
  const { globals, kept } = context;
  const { flags, isRedo } = undoing;
  const command = isRedo ? 'redo' : 'undo';
  if (globals.offline) throw usage(`${command} can't be used with --offline: it reads current values.`);
  const { selector } = undoing.chosen;
  const undoneRun = { takesBack: selector, isRedo };
  kept.undoing = undoneRun;
  const isKept = !globals.dryRun;
  return inNewLedger({ command, source: selector, flags, isKept, context }, async (ledger) => {
    noteUndoing(ledger, undoneRun);
    undoing.onLedger?.(ledger.id ?? '');
    noteOnChanged(ledger, 'field');
    const session = await runSession(context, flags);
    const { locks, history, chosen } = await locked(undoing, session, context);
    ledger.takeOverLocks(locks);
    const field = flags.field?.replaceAll('-', '_');
    const isMet = await planUndo({ ...history, session, ledger, numbers: chosen.numbers, field });
    history.journal.close();
    if (ledger.count() === 0) {
      if (chosen.numbers.length > 0 && !isMet) {
        throw new Failure('not_found', `Nothing to ${command}: none of these writes changed ${field}.`, {
          hint: boh.hint`To list the changed fields: ${boh.account('history')}`,
        });
      }
      ledger.discard();
      const isAny = chosen.numbers.length > 0;
      return messageResult(
        isAny
          ? `Nothing to ${command}: all values are already ${isRedo ? 'redone' : 'restored'}.`
          : `Nothing to ${command}: nothing was written, or the writes were refused.`,
      );
    }
    if (!globals.dryRun && ledger.count('planned') === 0) return refuseAll(ledger);
    const words = {
      label: `${isRedo ? 'Redo' : 'Undo'} of ${selector}`,
      resource: { noun: 'record', nouns: 'records' },
      verb: `${command} the writes to`,
      excluded: 'left unchanged',
    };
    const concurrency = sendsInOrder(ledger, session) ? '1' : undefined;
    return await runPlan({ ledger, session, flags, words, isAlwaysAsked: true, concurrency }, context);
  });
}

/**
 * Locks the resources: another process may be writing or undoing the same records. If it had to wait, the writes are chosen
 * again, with what the other process wrote meanwhile.
 */
async function locked(
  { history, chosen, flags, isRedo }: Undoing,
  session: Session,
  context: Context,
): Promise<{ locks: Locks; history: OpenHistory; chosen: SelectedWrites }> {
  const command = `${isRedo ? 'redo' : 'undo'} ${chosen.selector}`;
  const resources = resourcesOf(history.journal, chosen);
  const locks = await lockRun({ account: session, resources, flags, command }, context);
  if (locks.waitedFor.length === 0) return { locks, history, chosen };
  const later = (await openHistory(context, flags)) ?? history;
  const underWay = locks.waitedFor.flatMap(({ command: other }) => /^undo (.+)$/.exec(other)?.[1] ?? []);
  const again = chosen.refresh(later.journal, underWay) ?? chosen;
  if (resourcesOf(later.journal, again).every((name) => resources.includes(name)))
    return { locks, history: later, chosen: again };
  locks.release();
  return locked({ history: later, chosen: again, flags, isRedo }, session, context);
}

/** Returns the line of an excluded row: `suppliers “Fresh Farms” (42): Phone left unchanged: …` */
function leftLine({ resource, key, error }: LedgerRow): string {
  return `${[resource, key].filter(Boolean).join(' ')}: ${error?.message ?? ''}`;
}

/** Throws the failure of an undo in which all records are left unchanged, and discards its ledger. */
async function refuseAll(ledger: Ledger): Promise<Result> {
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
    only && others.length === 0
      ? only.message
      : `${failures.length} records can't be restored. Nothing was sent.`,
    {
      outcome: 'not_sent',
      failures,
      hint:
        only && others.length === 0
          ? boh.hint`To list later writes: ${boh.account('history')}`
          : failures
              .map(({ message }) => message)
              .slice(0, maxShownItems)
              .join('\n'),
    },
  );
}
