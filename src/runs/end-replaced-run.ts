/** Ends a run whose remaining rows a later run has planned again, after looking up what it has already done. */
import { reconcileAfterMs } from './ledger/unfinished-runs.ts';
import { type ReconcileContext, reconcile, reportReconciledRows } from './reconcile.ts';
import { ReferenceResolver } from './reference-resolver.ts';
import { sleep } from './sleep.ts';

/** The run to end, its account, and the clock in milliseconds since 1970. */
interface ReplacedRun extends Pick<ReconcileContext, 'ledger' | 'session'> {
  now(): number;
  signal: AbortSignal;
}

/**
 * Looks up the rows of unknown outcome, so that the history and an undo know the records that they created, and ends the
 * others: if the run were resumed, they would be sent twice. The run stays resumable if an outcome stays unknown. Throws if
 * the service can't be read.
 */
export async function endReplacedRun({ ledger, session, now, signal }: ReplacedRun): Promise<void> {
  const sentRows = [...ledger.rows('sent', 'unknown')];
  const waitMs = sentRows.length === 0 ? 0 : ledger.lastSentAt() + reconcileAfterMs - now();
  if (waitMs > 0) await sleep(Math.min(waitMs, reconcileAfterMs), signal);
  const resolver = new ReferenceResolver(ledger);
  for (const row of sentRows) await reconcile(row, { ledger, session, resolver });
  await reportReconciledRows({ ledger, session });
  await session.runs.reportEnd();
  const error = { category: 'interrupted' as const, message: 'Not sent: a later run planned it again.' };
  const plannedSeqs = [...ledger.rows('planned')].map(({ seq }) => seq);
  ledger.write(() => {
    for (const seq of plannedSeqs) ledger.change(seq, { state: 'failed', error });
    if (ledger.count('sent', 'unknown') === 0) ledger.setProperty('state', 'finished');
  });
}
