/**
 * Executes a run: sends the rows of its ledger, several at a time, and yields results in the order of the rows, until all
 * rows have ended or the run stops.
 */
import { Failure } from '../base/errors.ts';
import { StorageFailure } from '../storage/failures.ts';
import { endWaitingRows } from './end-waiting-rows.ts';
import { reconcileAfterMs } from './ledger/unfinished-runs.ts';
import { recheckRows } from './recheck-rows.ts';
import { reconcile, reportReconciledRows } from './reconcile.ts';
import { ReferenceResolver } from './reference-resolver.ts';
import { type RowResult, resultOf } from './result.ts';
import { type ExecutionOptions, interruption, RunState, type StoppedEarly } from './run-state.ts';
import { sendAll } from './send-all.ts';
import { findUnconfirmedRows, recheckUnknownRows } from './unconfirmed-rows.ts';

/** The maximum number of times that rows of unknown outcome are sent again. */
const maxRetryRounds = 4;

/** The property of ledgers that is true after the results without requests were reported. */
const reportedProperty = 'reported';

/** Yields the result of each row, including rows that aren't sent. Returns the reason if the run stopped early. */
export async function* executeRun(
  run: ExecutionOptions,
): AsyncGenerator<RowResult, StoppedEarly | undefined> {
  const state = new RunState(run);
  try {
    return yield* executeRows(run, state);
  } catch (error) {
    // The ledger can no longer be read or written. The results so far are valid.
    if (!(error instanceof StorageFailure)) throw error;
    state.stop(error);
    return state.stopped;
  } finally {
    await run.session.runs.reportEnd();
  }
}

async function* executeRows(
  run: ExecutionOptions,
  state: RunState,
): AsyncGenerator<RowResult, StoppedEarly | undefined> {
  const resolver = new ReferenceResolver(run.ledger);
  run.ledger.recordBoot();
  const isResumed = run.ledger.property(reportedProperty) === true;
  yield* resultsWithoutRequests(run);
  let isFirstPass = true;
  let isPlanOld = run.isPlannedBefore === true;
  for (let round = 0; round <= maxRetryRounds && !state.stopped; ) {
    yield* reconcileAll(run, state, resolver);
    if (isFirstPass && isResumed) await reportReconciledRows(run);
    isFirstPass = false;
    if (await waitForHours(run, state)) isPlanOld = true;
    if (!state.stopped) yield* recheckAll(run, state, resolver, isPlanOld);
    isPlanOld = false;
    if (state.stopped || round === maxRetryRounds || run.ledger.count('planned') === 0) break;
    const pass = yield* sendAll({ ...run, resolver, isResumed }, state);
    isPlanOld = pass.hasWaited;
    if (isPlanOld) continue;
    // Rows that wait for a later row are sent in the next pass, as long as rows end in each pass.
    const hasProgress = pass.postponed > 0 && pass.ended > 0;
    if (pass.postponed > 0 && !hasProgress && run.ledger.count('sent', 'unknown') === 0) break;
    if (!hasProgress) round++;
  }
  if (!state.stopped) yield* endWaitingRows(run.ledger, resolver);
  if (state.stopped?.failure.details.unexpectedResponse) await recheckUnknownRows({ ...run, resolver });
  for (const row of run.ledger.rows('unknown', 'sent')) yield resultOf(row);
  return state.stopped;
}

/** Yields the results of rows that need no request, in the order of the rows, before anything is sent. */
function* resultsWithoutRequests({ ledger }: ExecutionOptions): Generator<RowResult> {
  if (ledger.property(reportedProperty) === true) return;
  for (const row of ledger.rows('bad', 'done'))
    if (row.state === 'bad' || row.action === 'skip') yield resultOf(row);
  ledger.setProperty(reportedProperty, true);
}

/** Reconciles the rows that this or an earlier process sent without getting a response. */
async function* reconcileAll(
  run: ExecutionOptions,
  state: RunState,
  resolver: ReferenceResolver,
): AsyncGenerator<RowResult> {
  for (const row of run.ledger.rows('sent', 'unknown')) {
    if (run.signal.aborted) state.stop(interruption(run.signal));
    if (state.stopped) return;
    const remainingMs = (row.sentAt ?? 0) + reconcileAfterMs - run.now();
    if (remainingMs > 0) await run.sleep(Math.min(remainingMs, reconcileAfterMs), run.signal);
    const startedAt = performance.now();
    try {
      const context = { ...run, resolver };
      for (const otherRow of await findUnconfirmedRows(row, context)) {
        await reconcile(otherRow, context);
        if (otherRow.state === 'done') yield resultOf(otherRow);
      }
      await reconcile(row, context);
      if (row.state === 'done') yield resultOf(row);
    } catch (error) {
      if (!(error instanceof Failure) || error instanceof StorageFailure) throw error;
      await state.recordOutcome(row, error, startedAt);
    }
  }
}

/** Waits until the run may send. Returns whether it waited, because other users may have changed records meanwhile. */
async function waitForHours({ gate, ledger, signal }: ExecutionOptions, state: RunState): Promise<boolean> {
  if (!gate || state.stopped || ledger.count('planned') === 0) return false;
  const hasWaited = await gate(signal, async () => undefined);
  if (signal.aborted) state.stop(interruption(signal));
  return hasWaited;
}

/**
 * Compares rows with their records again: all rows if `isPlanOld`, otherwise only rows that were sent before and not
 * executed.
 */
async function* recheckAll(
  run: ExecutionOptions,
  state: RunState,
  resolver: ReferenceResolver,
  isPlanOld: boolean,
): AsyncGenerator<RowResult> {
  const { ledger, session, describeChange } = run;
  if (!describeChange) return;
  try {
    yield* recheckRows(
      { ledger, session, resolver, describeChange },
      ({ sentAt }) => isPlanOld || sentAt !== null,
    );
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    state.stop(error);
  }
}
