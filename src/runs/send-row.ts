/** Sends one row of a ledger: its steps one after the other, each recorded before it is sent and when it is done. */

import { type Category, Failure, failureRecord } from '../base/errors.ts';
import { type Operation, operation } from '../contract/operation.ts';
import type { RunWrite, WriteFacts } from '../session/observed-writes.ts';
import type { Call, Row } from '../session/row.ts';
import type { Session } from '../session/session.ts';
import type { Ledger } from './ledger/ledger.ts';
import { type LedgerRow, ownId, type RowChange, type RowError, type Step } from './ledger/row.ts';
import { isRowReference } from './ledger/row-reference.ts';
import { secretNames } from './ledger/secret-mark.ts';
import type { OtherRows } from './other-rows.ts';
import { repeatedIn } from './repeated-id.ts';
import type { WriteAhead } from './write-ahead.ts';

/** What sending a row needs. */
export interface Sending {
  ledger: Ledger;
  writeAhead: WriteAhead;
  /** Resolves references to other rows. */
  others: OtherRows;
  session: Session;
  /** Returns the secrets of a row, by the names of request fields: they are in the file and in no ledger. */
  secretsOf?: ((row: LedgerRow) => Promise<Row>) | undefined;
  /** Whether the run is resumed, so that records it created earlier may have changed since. */
  isResumed: boolean;
  /** Returns milliseconds since 1970. */
  now(): number;
}

/** Sends the remaining steps of a row and updates it. Returns the failure that it ended with. */
export async function sendRow(row: LedgerRow, sending: Sending): Promise<Failure | undefined> {
  const { ledger, session } = sending;
  const note = (change: RowChange) => {
    Object.assign(row, change);
    ledger.changeLater(row.seq, change);
    ledger.write(() => undefined);
  };
  try {
    while (row.step < row.steps.length) {
      await sending.writeAhead.record(row);
      const call = await callOf(row, sending);
      const beforeSend = () => sending.writeAhead.leave(row);
      const repeated = (id: string) => repeatedIn(ledger, row, { id, resource: call.operation.resource });
      const facts = { ...factsOf(row, sending), repeated };
      const written = await session.write({ ...call, beforeSend }, facts);
      const made = written.planned ? undefined : written.answered?.record.id;
      const change = stepDone(row, typeof made === 'string' && row.id === null ? made : row.id);
      Object.assign(row, change);
      ledger.changeLater(row.seq, change);
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (isDoneWithLoss(error)) note(stepDone(row, row.id));
    // `sentAt` is the row's own: a row that was never sent has none, though its batch was recorded.
    else note({ state: stateAfter(error), error: errorOf(error), sentAt: row.sentAt });
    return error;
  }
}

function stepDone({ step, steps }: LedgerRow, id: string | null): RowChange {
  return { step: step + 1, id, state: step + 1 === steps.length ? 'done' : 'planned', error: null };
}

/** Returns whether the write is done and has shown that nothing more may be sent. */
function isDoneWithLoss({ details: { outcome, endsRun: isLast } }: Failure): boolean {
  return outcome === 'done' && isLast === true;
}

/**
 * Returns the writes of rows as they will be sent. Rows with secrets are omitted, and so are rows whose record the
 * history has to read first: both are known only when the row is sent.
 */
export function writesOf(rows: readonly LedgerRow[], sending: Omit<Sending, 'writeAhead'>): RunWrite[] {
  return rows.flatMap((row) => {
    const step = row.steps[row.step];
    if (!step || secretsIn(step, sending.session).length > 0) return [];
    const [call, facts] = [filledIn(step, row, {}, sending), factsOf(row, sending)];
    return call.operation.effect === 'create' || facts.known ? [{ call, facts }] : [];
  });
}

function factsOf(row: LedgerRow, { ledger, isResumed }: Pick<Sending, 'ledger' | 'isResumed'>): WriteFacts {
  const { known, ids: [first] = [] } = row.steps[row.step] ?? {};
  const isForgotten = isResumed && isRowReference(first);
  return { known: isForgotten ? undefined : known, hasMoreWrites: true, part: partOf(row, ledger) };
}

/** Returns the name of a row's next step in its run. It stays the same when the step is sent again. */
export function partOf({ seq, step }: LedgerRow, { id }: Ledger) {
  return id === undefined ? undefined : { run: id, name: `${seq}.${step}` };
}

/** Returns the row and the step that a part name stands for. */
export function stepNamed(part: string): Pick<LedgerRow, 'seq' | 'step'> {
  const [seq = Number.NaN, step = Number.NaN] = part.split('.').map(Number);
  return { seq, step };
}

/**
 * Returns the state after a failure: failed if the service refused the row, planned if it was never sent, and unknown
 * if its record has to be looked up.
 */
function stateAfter(failure: Failure): 'failed' | 'unknown' | 'planned' {
  const { outcome } = failure.details;
  if (outcome === 'unknown' || outcome === 'done') return 'unknown';
  return isOfTheRun(failure) || failure.category === 'unavailable' ? 'planned' : 'failed';
}

const categoriesOfRun: ReadonlySet<Category> = new Set([
  'not_signed_in',
  'not_allowed',
  'interrupted',
  'rate_limited',
]);

/** Returns whether a failure ends the run, as every other row would fail in the same way. */
export function isOfTheRun({ category, details: { status, endsRun } }: Failure): boolean {
  return (
    endsRun === true ||
    categoriesOfRun.has(category) ||
    (category === 'unavailable' && mayBeAnotherService(status))
  );
}

/** Returns whether the answer is a redirect or comes from a proxy: waiting changes nothing about where requests go. */
function mayBeAnotherService(status: number | undefined): boolean {
  return status !== undefined && ((status >= 300 && status < 400) || status === 407);
}

/** Returns a failure as the ledger keeps it. */
export function errorOf(failure: Failure): RowError {
  const { answered } = failure.details;
  return { ...failureRecord(failure), ...(answered && { answered }) };
}

type Filling = Pick<Sending, 'session' | 'others' | 'secretsOf'>;

/** Returns the request of a row's next step, with secrets and ids filled in. Throws if a secret isn't available. */
export async function callOf(row: LedgerRow, filling: Filling): Promise<Call> {
  const step = row.steps[row.step];
  if (!step) throw new Error(`row ${row.seq} has no step ${row.step}`);
  const secrets = secretsIn(step, filling.session).length > 0 ? await secretsFor(row, filling) : {};
  return filledIn(step, row, secrets, filling);
}

/** Returns the secrets of a row. Throws if there is no file for them: the row isn't sent without its secrets. */
async function secretsFor(row: LedgerRow, { secretsOf }: Filling): Promise<Row> {
  if (secretsOf) return secretsOf(row);
  throw new Failure('usage', "The row has a password or a PIN, which ledgers don't store. It was not sent.", {
    outcome: 'not_sent',
  });
}

/** Returns the request fields of a step whose values only the file contains. */
function secretsIn(step: Step, session: Session): string[] {
  return step.body ? secretNames(operationOf(step, session).body, step.body) : [];
}

function filledIn(step: Step, row: LedgerRow, secrets: Row, { session, others }: Filling): Call {
  const ids = step.ids.map((one) => (one === ownId ? (row.id ?? '') : String(others.resolved(one, row))));
  const body = step.body && bodyOf(step, row, secrets, { session, others });
  return { operation: operationOf(step, session), ids, ...(body && { body }) };
}

function bodyOf(
  step: Step,
  row: LedgerRow,
  secrets: Row,
  { session, others }: Pick<Filling, 'session' | 'others'>,
): Row | undefined {
  const secret = secretsIn(step, session);
  if (!others.areNeeded && secret.length === 0) return step.body;
  return Object.fromEntries(
    Object.entries(step.body ?? {}).map(([name, value]) => [
      name,
      secret.includes(name) ? secrets[name] : others.resolved(value, row),
    ]),
  );
}

/** Returns the operation of a step. Throws a usage failure if this version doesn't know it. */
export function operationOf(
  { resource, verb }: Pick<Step, 'resource' | 'verb'>,
  { api }: Pick<Session, 'api'>,
) {
  const found = api.resource(resource);
  const named = found && operation(found, verb);
  if (!named)
    throw new Failure(
      'usage',
      `The ledger contains ${resource} ${verb}, which this version of boh doesn't know.`,
      { hint: 'Resume the run with the version that planned it, or plan the remaining rows again.' },
    );
  return named;
}

/** Returns every operation that the rows still need, each once. */
export function remainingCalls(ledger: Ledger, session: Pick<Session, 'api'>): Operation[] {
  return ledger.remainingOperations().map((step) => operationOf(step, session));
}
