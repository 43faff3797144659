/** Plans the undo of selected writes, shows the plan, asks for confirmation, and sends it. The run can be resumed. */
import { Failure, usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { maxShownItems } from '../../base/shown-items.ts';
import type { Context } from '../../context/context.ts';
import type { Journal } from '../../history/journal/journal.ts';
import { planUndo } from '../../history/undo/plan-undo.ts';
import { resourcesOf, type SelectedWrites } from '../../history/undo/select-writes.ts';
import { sendsInOrder } from '../../history/undo/undo-order.ts';
import { messageResult, type Result } from '../../output/result.ts';
import type { Ledger, Locks } from '../../runs/ledger/ledger.ts';
import type { LedgerRow } from '../../runs/ledger/row.ts';
import { recordUndoing } from '../../runs/ledger/undo-target.ts';
import { recordOnChanged } from '../../runs/recheck-rows.ts';
import type { Session } from '../../session/session.ts';
import { planInNewLedger } from '../bulk/ledger.ts';
import { lockRun } from '../bulk/lock-run.ts';
import type { RunFlags } from '../bulk/run-flags.ts';
import { runPlan } from '../bulk/run-plan.ts';
import { openRunSession } from '../bulk/run-session.ts';
import { openHistory } from './open-history.ts';

/** The options of an undo or a redo. */
export interface UndoRequest {
  journal: Journal;
  selected: SelectedWrites;
  flags: RunFlags & { field?: string };
  isRedo: boolean;
  /** Called with the ID of the run before a request is sent. */
  onLedger?: ((run: string) => void) | undefined;
}

/** Plans and sends the undo or redo of selected writes. */
export async function undoWrites(request: UndoRequest, context: Context): Promise<Result> {
  const { globals, recordedWrites } = context;
  const { flags, isRedo } = request;
  const command = isRedo ? 'redo' : 'undo';
  if (globals.offline) throw usage(`${command} can't be used with --offline: it reads current values.`);
  const { selector } = request.selected;
  const undoneRun = { takesBack: selector, isRedo };
  recordedWrites.undoing = undoneRun;
  const isKept = !globals.dryRun;
  return planInNewLedger({ command, source: selector, flags, isKept, context }, async (ledger) => {
    recordUndoing(ledger, undoneRun);
    request.onLedger?.(ledger.id ?? '');
    recordOnChanged(ledger, 'field');
    const session = await openRunSession(context, flags);
    const { locks, journal, selected } = await lockResources(request, session, context);
    ledger.takeOverLocks(locks);
    const field = flags.field?.replaceAll('-', '_');
    const hasField = await planUndo({ journal, session, ledger, numbers: selected.numbers, field });
    journal.close();
    if (ledger.count() === 0) {
      if (selected.numbers.length > 0 && !hasField) {
        throw new Failure('not_found', `Nothing to ${command}: none of these writes changed ${field}.`, {
          hint: boh.hint`To list the changed fields: ${boh.account('history')}`,
        });
      }
      ledger.discard();
      const hasWrites = selected.numbers.length > 0;
      return messageResult(
        hasWrites
          ? `Nothing to ${command}: all values are already ${isRedo ? 'redone' : 'restored'}.`
          : `Nothing to ${command}: nothing was written, or the writes were refused.`,
      );
    }
    if (!globals.dryRun && ledger.count('planned') === 0) return refuseUndo(ledger);
    const words = {
      label: `${isRedo ? 'Redo' : 'Undo'} of ${selector}`,
      resource: { noun: 'record', nouns: 'records' },
      verb: `${command} the writes to`,
      excluded: 'left unchanged',
    };
    const concurrency = sendsInOrder(ledger, session) ? '1' : undefined;
    const run = { ledger, session, flags, words, isAlwaysAsked: true, concurrency };
    return await runPlan({ ...run, hasDefaultLimits: false }, context);
  });
}

/**
 * Locks the resources, because another process may be changing the same records. After a wait for another process, selects
 * the writes again, because that process may have added writes.
 */
async function lockResources(
  { journal, selected, flags, isRedo }: UndoRequest,
  session: Session,
  context: Context,
): Promise<{ locks: Locks; journal: Journal; selected: SelectedWrites }> {
  const command = `${isRedo ? 'redo' : 'undo'} ${selected.selector}`;
  const resources = resourcesOf(journal, selected);
  const locks = await lockRun({ account: session, resources, flags, command }, context);
  if (locks.waitedFor.length === 0) return { locks, journal, selected };
  const newJournal = (await openHistory(context)) ?? journal;
  const runningUndos = locks.waitedFor.flatMap(
    ({ command: otherCommand }) => /^undo (.+)$/.exec(otherCommand)?.[1] ?? [],
  );
  const newSelection = selected.refresh(newJournal, runningUndos) ?? selected;
  if (resourcesOf(newJournal, newSelection).every((name) => resources.includes(name)))
    return { locks, journal: newJournal, selected: newSelection };
  locks.release();
  return lockResources({ journal: newJournal, selected: newSelection, flags, isRedo }, session, context);
}

/** Returns an excluded row as text: `suppliers "Fresh Farms" (42): Phone left unchanged: …` */
function formatExcludedRow({ resource, key, error }: LedgerRow): string {
  return `${[resource, key].filter(Boolean).join(' ')}: ${error?.message ?? ''}`;
}

/** Discards the ledger of an undo that can't change any record, and throws its failure. */
async function refuseUndo(ledger: Ledger): Promise<Result> {
  const excludedRows = [...ledger.rows('bad')];
  ledger.discard();
  const failures = excludedRows.map((row) => ({
    id: row.id ?? row.key ?? '',
    category: 'partial' as const,
    message: formatExcludedRow(row),
  }));
  const [firstFailure, ...otherFailures] = failures;
  throw new Failure(
    'partial',
    firstFailure && otherFailures.length === 0
      ? firstFailure.message
      : `${failures.length} records can't be restored. Nothing was sent.`,
    {
      outcome: 'not_sent',
      failures,
      hint:
        firstFailure && otherFailures.length === 0
          ? boh.hint`To list later writes: ${boh.account('history')}`
          : failures
              .map(({ message }) => message)
              .slice(0, maxShownItems)
              .join('\n'),
    },
  );
}
