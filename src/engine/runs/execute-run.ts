/**
 * Executes a run: sends the rows of its ledger, several at a time, and yields results in the order of the rows, until all
 * rows have ended or the run stops.
 */

import { relationsToInclude } from '../../account/session/record-body.ts';
import { isRow } from '../../account/session/row.ts';
import { operation } from '../../api/contract/operation.ts';
import { Failure } from '../../base/errors.ts';
import { StorageFailure } from '../../base/storage/failures.ts';
import type { Ledger } from './ledger/ledger.ts';
import { type LedgerRow, type RowError, type RowResult, resultOf } from './ledger/row.ts';
import { reconcileAfterMs } from './ledger/runs.ts';
import { recheckRows } from './recheck-rows.ts';
import {
  fetchRecord,
  hasSentValues,
  type ReconcileContext,
  reconcile,
  reportReconciledRows,
} from './reconcile.ts';
import { mayBeDone, ReferenceResolver, referencedNames } from './reference-resolver.ts';
import { type ExecutionOptions, interruption, RunState, type StoppedEarly } from './run-state.ts';
import {
  buildCall,
  findOtherRowsWithId,
  operationOf,
  rowLabel,
  type SendContext,
  sendRow,
  toRowError,
  writesOf,
} from './send-row.ts';
import { sleep } from './sleep.ts';
import { maxBatchRows, WriteAhead } from './write-ahead.ts';

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
    run.ledger.flush();
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
    if (remainingMs > 0) await (run.sleep ?? sleep)(Math.min(remainingMs, reconcileAfterMs), run.signal);
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

/**
 * Returns the done rows with the same ID as this row whose record doesn't have the values that they sent. Their outcome
 * becomes unknown. Throws if the record can't be read.
 */
async function findUnconfirmedRows(row: LedgerRow, context: ReconcileContext): Promise<LedgerRow[]> {
  const { ledger, session } = context;
  const { id } = isRow(row.error?.answered) ? row.error.answered : {};
  const nextStep = row.steps[row.step];
  if (typeof id !== 'string' || !nextStep) return [];
  const { resource } = operationOf(nextStep, session);
  const unconfirmedRows: LedgerRow[] = [];
  for (const otherRow of findOtherRowsWithId(ledger, row, { id, resource })) {
    const step = otherRow.steps.findIndex(({ verb }) => verb === operation(resource, 'create')?.verb);
    if (otherRow.state !== 'done' || step < 0) continue;
    const { operation: create, body = {} } = await buildCall({ ...otherRow, step }, context);
    const include = relationsToInclude({ body: create.body.filter(({ name }) => Object.hasOwn(body, name)) });
    const record = await fetchRecord(session, resource, id, include);
    if (record && hasSentValues({ create, body }, record)) continue;
    const message = `The service returned the ID ${id}, and the same ID for ${rowLabel(row)}; the record doesn't have the values that were sent.`;
    const error = toRowError(
      new Failure('unavailable', message, { outcome: 'unknown', unexpectedResponse: { id } }),
    );
    const change = { state: 'unknown', step, id: null, error } as const;
    Object.assign(otherRow, change);
    ledger.change(otherRow.seq, change);
    unconfirmedRows.push(otherRow);
  }
  return unconfirmedRows;
}

/** Checks all rows of unknown outcome of a stopped run, as long as the service responds. */
async function recheckUnknownRows(context: ReconcileContext): Promise<void> {
  try {
    for (const row of context.ledger.rows('unknown')) await findUnconfirmedRows(row, context);
  } catch (error) {
    if (!(error instanceof Failure) || error instanceof StorageFailure) throw error;
  }
}

/**
 * Yields the results of the waiting rows. Rows that wait for a row of unknown outcome, directly or indirectly, stay
 * planned: they can be sent when the run is resumed. Rows that wait for each other fail.
 */
function* endWaitingRows(ledger: Ledger, resolver: ReferenceResolver): Generator<RowResult> {
  const waitingNames = waitingRows(ledger, resolver);
  const blockers = new Map<number, string>();
  for (let previousSize = -1; previousSize !== blockers.size; ) {
    previousSize = blockers.size;
    for (const [seq, names] of waitingNames) {
      if (blockers.has(seq)) continue;
      const blocker = names.find((name) => {
        const otherRow = ledger.rowNamed(name);
        return (
          otherRow && (mayBeDone(otherRow) || blockers.has(otherRow.seq) || !waitingNames.has(otherRow.seq))
        );
      });
      if (blocker !== undefined) blockers.set(seq, blocker);
    }
  }
  for (const row of ledger.rows('planned')) {
    const names = waitingNames.get(row.seq);
    if (names) yield resultOf(endRow(ledger, row, blockers.get(row.seq), names));
  }
}

function waitingRows(ledger: Ledger, resolver: ReferenceResolver): Map<number, string[]> {
  const waitingNames = new Map<number, string[]>();
  for (const row of ledger.rowsToSend()) {
    if (resolver.readiness(row).status === 'blocked') waitingNames.set(row.seq, [...referencedNames(row)]);
  }
  return waitingNames;
}

function endRow(ledger: Ledger, row: LedgerRow, blocker: string | undefined, names: string[]): LedgerRow {
  const error: RowError =
    blocker === undefined
      ? {
          category: 'usage',
          message: `Not sent: it refers to ${names.join(', ')}, which refers back to it.`,
        }
      : {
          category: 'partial',
          message: `Not sent: it depends on ${blocker}, whose outcome is unknown.`,
          waited_for: blocker,
        };
  const change = { state: blocker === undefined ? ('failed' as const) : ('planned' as const), error };
  ledger.change(row.seq, change);
  return { ...row, ...change };
}

// Sends the planned rows in one pass, several at once. Rows wait for rows that they refer to, and results come in the
// order of the rows.

type PassOptions = ExecutionOptions & { resolver: ReferenceResolver; isResumed: boolean };

/**
 * The result of a pass: how many rows have ended, and how many were postponed because they wait for a row that isn't
 * being sent.
 */
interface PassResult {
  ended: number;
  postponed: number;
  /** Whether the pass ended early because the run had to wait for its hours. Records may have changed in that time. */
  hasWaited: boolean;
}

/** A row in a pass. */
interface QueueEntry {
  row: LedgerRow;
  isEnded: boolean;
  /** The numbers of the rows that must end before this row is checked again. */
  waitsFor: readonly number[];
}

/**
 * The maximum number of rows in memory, so that results come in order, and the maximum number of rows that wait for
 * others.
 */
const maxQueuedRows = 200;
const maxWaitingRows = 100;

/** Sends the planned rows and yields results in the order of the rows, even if responses come in another order. */
async function* sendAll(run: PassOptions, state: RunState): AsyncGenerator<RowResult, PassResult> {
  const queue = new Queue(run, state);
  const writeAhead = new WriteAhead({
    ledger: run.ledger,
    upcoming: () => (state.stopped ? [] : queue.upcoming.filter((row) => run.resolver.isReady(row))),
    announce: (rows, recordRows) => run.session.runs.announce(writesOf(rows, run), recordRows),
    now: run.now,
  });
  const activeRequests = new Set<Promise<void>>();
  for (;;) {
    yield* queue.endedResults();
    if (state.bug) throw state.bug.error;
    if (run.signal.aborted) state.stop(interruption(run.signal));
    if (
      !state.stopped &&
      !queue.result.hasWaited &&
      activeRequests.size < state.concurrency.limit &&
      queue.hasMore()
    ) {
      if (run.gate) {
        queue.result.hasWaited = await run.gate(run.signal, () => Promise.all(activeRequests));
        if (queue.result.hasWaited) continue;
      }
      const entry = nextEntry(queue, state);
      if (entry) {
        const work = sendEntry({ ...run, writeAhead }, state, entry.row).finally(() => {
          queue.end(entry);
          activeRequests.delete(work);
        });
        activeRequests.add(work);
        continue;
      }
    }
    if (activeRequests.size > 0) await Promise.race(activeRequests);
    else if (state.stopped || queue.result.hasWaited || !queue.hasMore()) break;
  }
  queue.close();
  yield* queue.endedResults();
  stopOnStorageFailure(state, () => writeAhead.resetUnsent());
  return queue.result;
}

/** Returns the next row; undefined if no row can be sent now, or if the ledger can no longer be read or written. */
function nextEntry(queue: Queue, state: RunState): QueueEntry | undefined {
  let entry: QueueEntry | undefined;
  stopOnStorageFailure(state, () => {
    entry = queue.next();
  });
  return entry;
}

/**
 * Runs work on the ledger. If the ledger fails, the run stops, but the results of requests in progress are still
 * reported.
 */
function stopOnStorageFailure(state: RunState, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof StorageFailure)) throw error;
    state.stop(error);
  }
}

/** The queue of planned rows: the next row, the waiting rows, and the ended rows. */
class Queue {
  readonly upcoming: LedgerRow[] = [];
  readonly result: PassResult = { ended: 0, postponed: 0, hasWaited: false };
  readonly #run: PassOptions;
  readonly #state: RunState;
  readonly #rows: Iterator<LedgerRow>;
  readonly #entries: QueueEntry[] = [];
  readonly #inFlight = new Set<number>();
  #waiting: QueueEntry[] = [];
  #isAtEnd = false;
  /** Whether a row has ended since the waiting rows were last checked. */
  #hasNewlyEnded = false;

  constructor(run: PassOptions, state: RunState) {
    this.#run = run;
    this.#state = state;
    this.#rows = run.ledger.rowsToSend();
  }

  hasMore(): boolean {
    return this.#canTake() || (this.#waiting.length > 0 && this.#hasNewlyEnded);
  }

  /** Returns the next row that can be sent; undefined if all remaining rows wait, or if too many rows are in memory. */
  next(): QueueEntry | undefined {
    const waitingEntry = this.#hasNewlyEnded ? this.#nextWaiting() : undefined;
    if (waitingEntry) return waitingEntry;
    while (this.#canTake() && !this.#state.stopped) {
      const row = this.#take();
      if (!row) return undefined;
      const entry = { row, isEnded: false, waitsFor: [] };
      this.#entries.push(entry);
      this.#inFlight.add(row.seq);
      if (this.#isReady(entry)) return entry;
    }
    return undefined;
  }

  end(entry: QueueEntry): void {
    entry.isEnded = true;
    this.#inFlight.delete(entry.row.seq);
    this.#hasNewlyEnded = true;
    this.#run.resolver.rememberId(entry.row);
  }

  /** Ends the pass for rows that still wait. */
  close(): void {
    for (const entry of this.#waiting) entry.isEnded = true;
  }

  /** Yields the results of ended rows, up to the first row that hasn't ended. */
  *endedResults(): Generator<RowResult> {
    while (this.#entries[0]?.isEnded) {
      const row = this.#entries.shift()?.row;
      if (row?.state !== 'done' && row?.state !== 'failed') continue;
      this.result.ended++;
      yield resultOf(row);
    }
  }

  #canTake(): boolean {
    const hasRows = !this.#isAtEnd || this.upcoming.length > 0;
    return hasRows && this.#entries.length < maxQueuedRows && this.#waiting.length < maxWaitingRows;
  }

  #take(): LedgerRow | undefined {
    while (this.upcoming.length <= maxBatchRows && !this.#isAtEnd) {
      const nextRow = this.#rows.next();
      if (nextRow.done) this.#isAtEnd = true;
      else this.upcoming.push(nextRow.value);
    }
    return this.upcoming.shift();
  }

  #nextWaiting(): QueueEntry | undefined {
    while (this.#hasNewlyEnded) {
      this.#hasNewlyEnded = false;
      for (const entry of this.#waiting) {
        if (entry.waitsFor.some((seq) => this.#inFlight.has(seq))) continue;
        this.#waiting = this.#waiting.filter((other) => other !== entry);
        this.#hasNewlyEnded = true;
        if (this.#isReady(entry)) return entry;
      }
    }
    return undefined;
  }

  /**
   * Returns whether the row can be sent now. Otherwise the row waits, is postponed, or fails because a row that it
   * refers to has failed.
   */
  #isReady(entry: QueueEntry): boolean {
    const { row } = entry;
    const readiness = this.#run.resolver.readiness(row);
    if (readiness.status === 'ready') return true;
    if (readiness.status === 'failed') {
      Object.assign(row, { state: 'failed', error: readiness.error });
      this.#run.ledger.change(row.seq, { state: 'failed', error: readiness.error });
      this.#state.countFailure();
      this.end(entry);
      return false;
    }
    entry.waitsFor = readiness.blockers.map(({ seq }) => seq);
    if (entry.waitsFor.every((seq) => this.#inFlight.has(seq))) this.#waiting.push(entry);
    else {
      this.result.postponed++;
      this.end(entry);
    }
    return false;
  }
}

async function sendEntry(run: SendContext, state: RunState, row: LedgerRow): Promise<void> {
  const startedAt = performance.now();
  try {
    const failure = await sendRow(row, run);
    await state.recordOutcome(row, failure, startedAt);
  } catch (error) {
    // If the ledger can't be written, the run stops: every request must be in the ledger before it is sent.
    if (error instanceof Failure) state.stop(error);
    else state.bug ??= { error };
  }
}
