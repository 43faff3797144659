/** Sends one row of a ledger: its steps in order. Each step is recorded before it is sent and when it is done. */

import type { RunWrite, WriteDetails } from '../../account/session/observed-writes.ts';
import { duplicateIdFailure } from '../../account/session/outcome.ts';
import type { Call, Row } from '../../account/session/row.ts';
import type { Session } from '../../account/session/session.ts';
import { type Operation, operation } from '../../api/contract/operation.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { type Category, Failure, failureRecord } from '../../base/errors.ts';
import type { Ledger } from './ledger/ledger.ts';
import {
  isRowReference,
  type LedgerRow,
  missingSecretNames,
  type RowChange,
  type RowError,
  recordIdPlaceholder,
  type Step,
} from './ledger/row.ts';
import type { ReferenceResolver } from './reference-resolver.ts';
import type { WriteAhead } from './write-ahead.ts';

/** The parts of a run that sending a row uses. */
export interface SendContext {
  ledger: Ledger;
  writeAhead: WriteAhead;
  /** Resolves references to other rows. */
  resolver: ReferenceResolver;
  session: Session;
  /** Returns the secrets of a row from its file, by the names of request fields. Ledgers don't contain them. */
  secretsOf?: ((row: LedgerRow) => Promise<Row>) | undefined;
  /** Whether the run is resumed, so that records it created earlier may have changed since. */
  isResumed: boolean;
  /** Returns milliseconds since 1970. */
  now(): number;
}

/** Sends the remaining steps of a row and updates it. Returns the failure that it ended with. */
export async function sendRow(row: LedgerRow, context: SendContext): Promise<Failure | undefined> {
  const { ledger, session } = context;
  let recordOutcome: (() => void) | undefined;
  const recordLater = (change: RowChange) => {
    Object.assign(row, change);
    ledger.changeLater(row.seq, change, recordOutcome);
    recordOutcome = undefined;
  };
  const recordChange = (change: RowChange) => {
    recordLater(change);
    ledger.write(() => undefined);
  };
  try {
    while (row.step < row.steps.length) {
      await context.writeAhead.record(row);
      const call = await buildCall(row, context);
      const beforeSend = () => context.writeAhead.markSent(row);
      const details: WriteDetails = {
        ...writeDetails(row, context),
        duplicateIdFailure: (id) => repeatedIdFailure(ledger, row, { id, resource: call.operation.resource }),
        recordOutcomeLater: (record) => {
          recordOutcome = record;
        },
      };
      const result = await session.write({ ...call, beforeSend }, details);
      const newId = result.planned ? undefined : result.recordResponse?.record.id;
      recordLater(changeAfterStep(row, typeof newId === 'string' && row.id === null ? newId : row.id));
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (isDoneButEndsRun(error)) recordChange(changeAfterStep(row, row.id));
    // The row's own `sentAt` is null if it was never sent, even if its batch was recorded as sent.
    else recordChange({ state: stateAfter(error), error: toRowError(error), sentAt: row.sentAt });
    return error;
  }
}

function changeAfterStep({ step, steps }: LedgerRow, id: string | null): RowChange {
  return { step: step + 1, id, state: step + 1 === steps.length ? 'done' : 'planned', error: null };
}

/** Returns whether the write is done, but no other write may be sent. */
function isDoneButEndsRun({ details: { outcome, stopsRun } }: Failure): boolean {
  return outcome === 'done' && stopsRun === true;
}

/**
 * Returns the writes of rows as they will be sent. Rows with secrets and rows whose record the history has to read
 * first are omitted, because their writes are known only when the row is sent.
 */
export function writesOf(rows: readonly LedgerRow[], context: Omit<SendContext, 'writeAhead'>): RunWrite[] {
  return rows.flatMap((row) => {
    const step = row.steps[row.step];
    if (!step || secretsIn(step, context.session).length > 0) return [];
    const [call, details] = [fillCall(step, row, {}, context), writeDetails(row, context)];
    return call.operation.effect === 'create' || details.recordBefore ? [{ call, details }] : [];
  });
}

function writeDetails(
  row: LedgerRow,
  { ledger, isResumed }: Pick<SendContext, 'ledger' | 'isResumed'>,
): WriteDetails {
  const { known, ids: [firstId] = [] } = row.steps[row.step] ?? {};
  const mayHaveChanged = isResumed && isRowReference(firstId);
  return {
    recordBefore: mayHaveChanged ? undefined : known,
    hasMoreWrites: true,
    part: runPartOf(row, ledger),
  };
}

/** Returns the name of a row's next step in its run. It stays the same when the step is sent again. */
export function runPartOf({ seq, step }: LedgerRow, { id }: Ledger) {
  return id === undefined ? undefined : { run: id, name: `${seq}.${step}` };
}

export function parsePartName(part: string): Pick<LedgerRow, 'seq' | 'step'> {
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
  return endsWholeRun(failure) || failure.category === 'unavailable' ? 'planned' : 'failed';
}

const runCategories: ReadonlySet<Category> = new Set([
  'not_signed_in',
  'not_allowed',
  'interrupted',
  'rate_limited',
]);

/** Returns whether a failure ends the run, because every other row would fail in the same way. */
export function endsWholeRun({ category, details: { status, stopsRun: endsRun } }: Failure): boolean {
  return (
    endsRun === true ||
    runCategories.has(category) ||
    (category === 'unavailable' && mayBeAnotherService(status))
  );
}

/**
 * Returns whether the response is a redirect or comes from a proxy: waiting wouldn't send requests to another URL.
 */
function mayBeAnotherService(status: number | undefined): boolean {
  return status !== undefined && ((status >= 300 && status < 400) || status === 407);
}

export function toRowError(failure: Failure): RowError {
  const { unexpectedResponse: answered } = failure.details;
  return { ...failureRecord(failure), ...(answered && { answered }) };
}

type FillContext = Pick<SendContext, 'session' | 'resolver' | 'secretsOf'>;

/** Returns the request of a row's next step, with secrets and IDs filled in. Throws if a secret isn't available. */
export async function buildCall(row: LedgerRow, context: FillContext): Promise<Call> {
  const step = row.steps[row.step];
  if (!step) throw new Error(`row ${row.seq} has no step ${row.step}`);
  const secrets = secretsIn(step, context.session).length > 0 ? await secretsFor(row, context) : {};
  return fillCall(step, row, secrets, context);
}

/** Returns the secrets of a row. Throws if there is no file with them: the row isn't sent without its secrets. */
async function secretsFor(row: LedgerRow, { secretsOf }: FillContext): Promise<Row> {
  if (secretsOf) return secretsOf(row);
  throw new Failure('usage', "The row has a password or a PIN, which ledgers don't store. It was not sent.", {
    outcome: 'not_sent',
  });
}

/** Returns the request fields of a step whose values only the file contains. */
function secretsIn(step: Step, session: Session): string[] {
  return step.body ? missingSecretNames(operationOf(step, session).body, step.body) : [];
}

function fillCall(step: Step, row: LedgerRow, secrets: Row, { session, resolver }: FillContext): Call {
  const ids = step.ids.map((id) =>
    id === recordIdPlaceholder ? (row.id ?? '') : String(resolver.resolve(id, row)),
  );
  const body = step.body && fillBody(step, row, secrets, { session, resolver });
  return { operation: operationOf(step, session), ids, ...(body && { body }) };
}

function fillBody(
  step: Step,
  row: LedgerRow,
  secrets: Row,
  { session, resolver }: Pick<FillContext, 'session' | 'resolver'>,
): Row | undefined {
  const secretFields = secretsIn(step, session);
  if (!resolver.hasReferences && secretFields.length === 0) return step.body;
  return Object.fromEntries(
    Object.entries(step.body ?? {}).map(([name, value]) => [
      name,
      secretFields.includes(name) ? secrets[name] : resolver.resolve(value, row),
    ]),
  );
}

/** Returns the operation of a step. Throws a usage failure if this version doesn't know it. */
export function operationOf(
  { resource, verb }: Pick<Step, 'resource' | 'verb'>,
  { api }: Pick<Session, 'api'>,
) {
  const resolvedResource = api.resource(resource);
  const resolvedOperation = resolvedResource && operation(resolvedResource, verb);
  if (!resolvedOperation)
    throw new Failure(
      'usage',
      `The ledger contains ${resource} ${verb}, which this version of boh doesn't know.`,
      { hint: 'Resume the run with the version that planned it, or plan the remaining rows again.' },
    );
  return resolvedOperation;
}

/** Returns every operation that the rows still need, each once. */
export function remainingOperations(ledger: Ledger, session: Pick<Session, 'api'>): Operation[] {
  return ledger.remainingOperations().map((step) => operationOf(step, session));
}

// Detects creations whose response contains the ID of another row's record: such a response doesn't prove that the
// record was created.

interface ReturnedRecord {
  id: string;
  resource: Resource;
}

/**
 * Returns the failure of a row whose response contains the ID of another row's record; undefined if no other row has
 * that ID.
 */
function repeatedIdFailure(ledger: Ledger, row: LedgerRow, returned: ReturnedRecord): Failure | undefined {
  const [otherRow] = findOtherRowsWithId(ledger, row, returned);
  return otherRow && duplicateIdFailure(returned.id, rowLabel(otherRow));
}

/**
 * Returns the other rows whose record has this ID. Rows without a resource of their own belong to the run's resource.
 */
export function findOtherRowsWithId(
  ledger: Ledger,
  { seq }: LedgerRow,
  { id, resource }: ReturnedRecord,
): LedgerRow[] {
  return ledger
    .rowsWithId(id)
    .filter((row) => row.seq !== seq && (row.resource ?? ledger.property('resource')) === resource.name);
}

/** Returns the name of a row in messages: `line 2, SKU-1`. */
export function rowLabel({ seq, line, key }: LedgerRow): string {
  if (line !== null) return key === null ? `line ${line}` : `line ${line}, ${key}`;
  return key ?? `row ${seq}`;
}
