/** Sends one row of a ledger: its steps one after the other, each recorded before it leaves and when it is done. */

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

export interface Sending {
  ledger: Ledger;
  writeAhead: WriteAhead;
  /** Those that the rows refer to. */
  others: OtherRows;
  session: Session;
  /** The secrets of a row, by the names of requests: the file has them, and no ledger. */
  secretsOf?: ((row: LedgerRow) => Promise<Row>) | undefined;
  /** What was made earlier may have changed since. */
  isResumed: boolean;
  /** Milliseconds since 1970. */
  now(): number;
}

/** Carries out what is left of a row, and keeps it up to date. Answers the failure that it ended with. */
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
      const departing = () => sending.writeAhead.leave(row);
      const repeated = (id: string) => repeatedIn(ledger, row, { id, resource: call.operation.resource });
      const facts = { ...factsOf(row, sending), repeated };
      const written = await session.write({ ...call, departing }, facts);
      const made = written.planned ? undefined : written.answered?.record.id;
      const change = stepDone(row, typeof made === 'string' && row.id === null ? made : row.id);
      Object.assign(row, change);
      ledger.changeLater(row.seq, change);
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (isDoneWithLoss(error)) note(stepDone(row, row.id));
    // The moment is the row's own: one that never left has none, though its batch was recorded.
    else note({ state: stateAfter(error), error: errorOf(error), sentAt: row.sentAt });
    return error;
  }
}

function stepDone({ step, steps }: LedgerRow, id: string | null): RowChange {
  return { step: step + 1, id, state: step + 1 === steps.length ? 'done' : 'planned', error: null };
}

/** It is done as it was asked for, and has shown that nothing more may be sent. */
function isDoneWithLoss({ details: { outcome, endsRun: isLast } }: Failure): boolean {
  return outcome === 'done' && isLast === true;
}

/**
 * Returns the writes of rows as they will be sent. Left out are rows with secrets, and those whose record the history has
 * to read first: both are known only when it is their turn.
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
  return { known: isForgotten ? undefined : known, isOfSeveral: true, part: partOf(row, ledger) };
}

/** Which part of which run a row’s next step is: sent again, it is the same one. */
export function partOf({ seq, step }: LedgerRow, { id }: Ledger) {
  return id === undefined ? undefined : { run: id, name: `${seq}.${step}` };
}

/** The row and its step that a part is. */
export function stepNamed(part: string): Pick<LedgerRow, 'seq' | 'step'> {
  const [seq = Number.NaN, step = Number.NaN] = part.split('.').map(Number);
  return { seq, step };
}

/** A row that the service refused is reported; one that never left can be sent again; one that is done has to be found. */
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

/** Whether a failure ends the run: every other row would meet it as well. */
export function isOfTheRun({ category, details: { status, endsRun } }: Failure): boolean {
  return (
    endsRun === true || categoriesOfRun.has(category) || (category === 'unavailable' && isElsewhere(status))
  );
}

/** Redirected, or rejected by a proxy: waiting changes nothing about where requests go. */
function isElsewhere(status: number | undefined): boolean {
  return status !== undefined && ((status >= 300 && status < 400) || status === 407);
}

export function errorOf(failure: Failure): RowError {
  const { answered } = failure.details;
  return { ...failureRecord(failure), ...(answered && { answered }) };
}

type Filling = Pick<Sending, 'session' | 'others' | 'secretsOf'>;

export async function callOf(row: LedgerRow, filling: Filling): Promise<Call> {
  const step = row.steps[row.step];
  if (!step) throw new Error(`row ${row.seq} has no step ${row.step}`);
  const secrets = secretsIn(step, filling.session).length > 0 ? await secretsFor(row, filling) : {};
  return filledIn(step, row, secrets, filling);
}

/** Without them the rest of a row is not sent: nobody would know that they are missing. */
async function secretsFor(row: LedgerRow, { secretsOf }: Filling): Promise<Row> {
  if (secretsOf) return secretsOf(row);
  throw new Failure('usage', 'The row holds a password or a PIN, which no ledger keeps: it was not sent.', {
    outcome: 'not_sent',
  });
}

/** By the names of requests: the fields whose value the file has. */
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

export function operationOf(
  { resource, verb }: Pick<Step, 'resource' | 'verb'>,
  { api }: Pick<Session, 'api'>,
) {
  const found = api.resource(resource);
  const named = found && operation(found, verb);
  if (!named)
    throw new Failure(
      'usage',
      `The ledger names ${resource} ${verb}, which this version of boh doesn’t know.`,
      { hint: 'Resume the run with the version that planned it, or plan what is left anew.' },
    );
  return named;
}

/** Every operation that the rows still need, each once. */
export function callsToCome(ledger: Ledger, session: Pick<Session, 'api'>): Operation[] {
  return ledger.stepsToCome().map((step) => operationOf(step, session));
}
