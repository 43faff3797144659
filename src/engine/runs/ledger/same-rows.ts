/**
 * Compares runs of the same rows in an account, so that records without a key aren't created twice, and a run
 * isn't resumed after a later run has planned its rows again.
 */
import { createHash } from 'node:crypto';
import { Failure, usage } from '../../../base/errors.ts';
import { boh } from '../../../base/hint.ts';
import { StorageFailure } from '../../../base/storage/failures.ts';
import { type ReconcileContext, reconcile, reportReconciledRows } from '../reconcile.ts';
import { ReferenceResolver } from '../reference-resolver.ts';
import { sleep } from '../sleep.ts';
import type { Ledger } from './ledger.ts';
import { listRunIds, openReadableRun, reconcileAfterMs, undoingOf } from './runs.ts';
import { isSavedPlan } from './saved-plan.ts';

/** Identifies the rows of a run, to find runs that would write the same rows. The ledger stores it as a property. */
export interface RowsIdentity {
  /** The fingerprint of the rows. */
  mark: string;
  /** Whether records of an earlier run are found by key or ID. Otherwise they would be created again. */
  isFound: boolean;
}

const rowsIdentityProperty = 'same_rows';

/** Records in the ledger which rows its run writes. */
export function recordRowsIdentity(ledger: Ledger, rows: RowsIdentity): void {
  ledger.setProperty(rowsIdentityProperty, rows);
}

export function fingerprintOfRows(...parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** A run that is about to begin. */
export interface StartingRun {
  /** The folder of the account that it writes to. */
  folder: string;
  ledger: Ledger;
  /** When planning began, in ms since 1970. */
  since: number;
  /** The current time, in ms since 1970. */
  now: number;
}

/**
 * Returns the newest earlier run of the same rows with created records that weren't undone, and their number; undefined
 * if there is none. `folder` is the folder of the account.
 */
export function findEarlierRun(ledger: Ledger, folder: string): { id: string; added: number } | undefined {
  const rows = ledger.property(rowsIdentityProperty) as RowsIdentity | undefined;
  const undoneCounts = new Map<string, number>();
  for (const id of rows ? readableRunIds(folder) : []) {
    const otherLedger = id === ledger.id ? undefined : openReadableRun(folder, id);
    try {
      if (!otherLedger) continue;
      const undoneId = undoingOf(otherLedger)?.takesBack;
      if (undoneId === undefined && !hasSameRows(otherLedger, rows)) continue;
      const counts = otherLedger.counts();
      const countRemaining = (...kinds: string[]) =>
        kinds.reduce((sum, kind) => sum + (counts[kind] ?? 0), 0) - (undoneCounts.get(id) ?? 0);
      if (undoneId !== undefined) {
        // Runs are read newest first, so later undos and redos are already counted.
        const previousCount = undoneCounts.get(undoneId) ?? 0;
        undoneCounts.set(undoneId, previousCount + countRemaining('delete done', 'restore done'));
      } else if (countRemaining('create done') > 0) {
        return { id, added: countRemaining('create done') };
      }
    } finally {
      otherLedger?.close();
    }
  }
  return undefined;
}

/** Returns the runs of an account; none if its log can't be read, for example on a full disk. */
function readableRunIds(folder: string): string[] {
  try {
    return listRunIds(folder);
  } catch (error) {
    if (error instanceof StorageFailure) return [];
    throw error;
  }
}

function hasSameRows(otherLedger: Ledger, rows: RowsIdentity | undefined): boolean {
  return rowsMarkOf(otherLedger) === rows?.mark;
}

/** Returns the fingerprint of the rows of a run. */
export function rowsMarkOf(ledger: Ledger): string | undefined {
  return (ledger.property(rowsIdentityProperty) as RowsIdentity | undefined)?.mark;
}

/**
 * Returns the earlier runs of the same rows that end because this run finds their records. Throws, before anything is
 * sent, if the rows would be created twice. Call it while the run has its locks, just before it is recorded as begun.
 */
export function findReplacedRuns(starting: StartingRun): string[] {
  const { ledger, folder } = starting;
  const rows = ledger.property(rowsIdentityProperty) as RowsIdentity | undefined;
  if (!rows) return [];
  const isSent = ledger.waitedFor.some(({ rows: mark }) => mark === rows.mark);
  if (isSent && !rows.isFound) throw sentConcurrently();
  const otherIds = readableRunIds(folder).filter((id) => id !== ledger.id);
  return otherIds.filter((otherId) => shouldEnd(otherId, rows, starting));
}

/**
 * Returns whether a run is an unfinished run of the same rows that can be ended. Throws if the rows would be created
 * twice.
 */
function shouldEnd(id: string, rows: RowsIdentity, starting: StartingRun): boolean {
  const ledger = openReadableRun(starting.folder, id);
  if (!ledger) return false;
  try {
    if (!hasSameRows(ledger, rows)) return false;
    const isUnfinished = ledger.property('state') === 'unfinished';
    if (isUnfinished && !rows.isFound && !isOwnLedgerFile(starting))
      throw unfinishedRunFailure(id, ledger.count('done'), ledger.count());
    // A time in the future means that the run was sent before the clock was set back.
    const lastSentAt = ledger.lastSentAt();
    const isSentConcurrently = lastSentAt >= starting.since && lastSentAt <= starting.now + reconcileAfterMs;
    if (!rows.isFound && isSentConcurrently) throw sentConcurrently(id);
    return isUnfinished && rows.isFound && !ledger.isBusy();
  } finally {
    ledger.close();
  }
}

/** Returns whether the user has chosen the ledger file with --ledger, and so keeps track of runs without boh. */
function isOwnLedgerFile({ ledger }: StartingRun): boolean {
  return ledger.isOnDisk && !ledger.isInLog && !isSavedPlan(ledger);
}

/**
 * Returns the failure if another process has just sent the same rows. `id` is undefined if the other ledger is in
 * memory or in a file that the user chose.
 */
function sentConcurrently(id?: string): Failure {
  const runName = id === undefined ? '' : ` (run ${id})`;
  return new Failure(
    'unavailable',
    `Another process just sent these rows${runName}. The created records are unknown. Nothing was sent.`,
    { hint: 'If you run it again, all rows are created a second time.', outcome: 'not_sent' },
  );
}

function unfinishedRunFailure(id: string, done: number, total: number): Failure {
  return usage(
    `Run ${id} already created ${done} of these ${total} rows, but the created records are unknown. Importing again could create duplicates. Nothing was sent.`,
    {
      hint: boh.hint`To resume it: ${boh.account('runs resume', id)}. To find rows by a key: --key. To import them again anyway: --ledger FILE`,
    },
  );
}

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
