/**
 * Carries out a ledger: sends its rows, several at a time, and yields results in their order until none is left or the
 * run has to stop.
 */
import { Failure } from '../base/errors.ts';
import { StorageFailure } from '../storage/failures.ts';
import { endWaiting } from './end-waiting-rows.ts';
import { reconcileAfterMs } from './ledger/unfinished-runs.ts';
import { OtherRows } from './other-rows.ts';
import { recheckRows } from './recheck-rows.ts';
import { reconcile, reportReconciledRows } from './reconcile.ts';
import { type RowResult, resultOf } from './result.ts';
import { type CarryOut, interruption, RunState, type Stopped } from './run-state.ts';
import { sendAll } from './send-all.ts';
import { recheckUnknownRows, unconfirmedRowsBy } from './unconfirmed-rows.ts';

/** How often rows of unknown outcome are sent again. */
const maxTries = 4;

/** Yields the result of each row, including rows that aren't sent. Returns why the run stopped, if it did. */
export async function* carryOut(run: CarryOut): AsyncGenerator<RowResult, Stopped | undefined> {
  const state = new RunState(run);
  try {
    return yield* carryOutRows(run, state);
  } catch (error) {
    // The ledger can no longer be read or written. The results so far count.
    if (!(error instanceof StorageFailure)) throw error;
    state.stop(error);
    return state.stopped;
  } finally {
    await run.session.runs.ended();
  }
}

async function* carryOutRows(run: CarryOut, state: RunState): AsyncGenerator<RowResult, Stopped | undefined> {
  const others = new OtherRows(run.ledger);
  run.ledger.begin();
  const isResumed = run.ledger.fact('told') === true;
  yield* resultsWithoutRequest(run);
  let isFirst = true;
  let isOld = run.isPlannedBefore === true;
  for (let round = 0; round <= maxTries && !state.stopped; ) {
    yield* reconcileAll(run, state, others);
    if (isFirst && isResumed) await reportReconciledRows(run);
    isFirst = false;
    if (await hasWaited(run, state)) isOld = true;
    if (!state.stopped) yield* recheckAll(run, state, others, isOld);
    isOld = false;
    if (state.stopped || round === maxTries || run.ledger.count('planned') === 0) break;
    const pass = yield* sendAll({ ...run, others, isResumed }, state);
    isOld = pass.hasWaited;
    if (isOld) continue;
    // Rows that waited for a later row are sent in the next pass, as long as each pass ends some rows.
    const isComingOn = pass.postponed > 0 && pass.ended > 0;
    if (pass.postponed > 0 && !isComingOn && run.ledger.count('sent', 'unknown') === 0) break;
    if (!isComingOn) round++;
  }
  if (!state.stopped) yield* endWaiting(run.ledger, others);
  if (state.stopped?.failure.details.answered) await recheckUnknownRows({ ...run, others });
  for (const row of run.ledger.rows('unknown', 'sent')) yield resultOf(row);
  return state.stopped;
}

/** Yields the results of rows that need no request, in their order, before anything is sent. */
function* resultsWithoutRequest({ ledger }: CarryOut): Generator<RowResult> {
  if (ledger.fact('told') === true) return;
  for (const row of ledger.rows('bad', 'done'))
    if (row.state === 'bad' || row.action === 'skip') yield resultOf(row);
  ledger.setFact('told', true);
}

/** Looks up the rows that were sent and not answered, by this process or by one that has ended. */
async function* reconcileAll(run: CarryOut, state: RunState, others: OtherRows): AsyncGenerator<RowResult> {
  for (const row of run.ledger.rows('sent', 'unknown')) {
    if (run.signal.aborted) state.stop(interruption(run.signal));
    if (state.stopped) return;
    const rest = (row.sentAt ?? 0) + reconcileAfterMs - run.now();
    if (rest > 0) await run.sleep(Math.min(rest, reconcileAfterMs), run.signal);
    const began = performance.now();
    try {
      const reconciling = { ...run, others };
      for (const other of await unconfirmedRowsBy(row, reconciling)) {
        await reconcile(other, reconciling);
        if (other.state === 'done') yield resultOf(other);
      }
      await reconcile(row, reconciling);
      if (row.state === 'done') yield resultOf(row);
    } catch (error) {
      if (!(error instanceof Failure) || error instanceof StorageFailure) throw error;
      await state.after(row, error, began);
    }
  }
}

/** Waits for the hours of the run. Returns whether it waited: another user may have changed records meanwhile. */
async function hasWaited({ gate, ledger, signal }: CarryOut, state: RunState): Promise<boolean> {
  if (!gate || state.stopped || ledger.count('planned') === 0) return false;
  const waited = await gate(signal, async () => undefined);
  if (signal.aborted) state.stop(interruption(signal));
  return waited;
}

/**
 * Compares rows with their records again: all rows if `isOld`, else only those that turned out not to have been
 * carried out.
 */
async function* recheckAll(
  run: CarryOut,
  state: RunState,
  others: OtherRows,
  isOld: boolean,
): AsyncGenerator<RowResult> {
  const { ledger, session, whoChanged } = run;
  if (!whoChanged) return;
  try {
    yield* recheckRows({ ledger, session, others, whoChanged }, ({ sentAt }) => isOld || sentAt !== null);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    state.stop(error);
  }
}
