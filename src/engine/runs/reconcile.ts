/** Reconciles rows of unknown outcome with the service: done, still to be sent, or still unknown. */

import { differenceOf, isSameLink, linkValues } from '../../account/session/diff/fields.ts';
import { shownValues } from '../../account/session/diff/sent-values.ts';
import { findRecords } from '../../account/session/find-records.ts';
import { isDeleted } from '../../account/session/list.ts';
import { bodyFrom, linksIn, relationsToInclude } from '../../account/session/record-body.ts';
import { choicesFixedOnCreation } from '../../account/session/record-key.ts';
import type { Row } from '../../account/session/row.ts';
import type { Session } from '../../account/session/session.ts';
import { type Operation, operation } from '../../api/contract/operation.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { Failure } from '../../base/errors.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { LedgerRow, RowChange } from './ledger/row.ts';
import type { ReferenceResolver } from './reference-resolver.ts';
import { buildCall, parsePartName, runPartOf } from './send-row.ts';

/**
 * The reconciled outcome of a row. `done`: it succeeded, with the record's ID. `open`: it had no effect. `unknown`: with
 * the reason.
 */
export type ReconciledOutcome =
  | { status: 'done'; id?: string }
  | { status: 'open' }
  | { status: 'unknown'; reason: string };

/** The parts of a run that reconciling uses. */
export interface ReconcileContext {
  ledger: Ledger;
  session: Session;
  resolver: ReferenceResolver;
}

/** Looks up the record of a row, and stores the result in the ledger. */
export async function reconcile(row: LedgerRow, context: ReconcileContext): Promise<void> {
  const outcome = await outcomeOfRow(row, context);
  const part = runPartOf(row, context.ledger);
  if (outcome.status === 'done' && part)
    await context.session.runs.reportReconciled(part, { outcome: 'done', id: outcome.id });
  const change = changeFor(row, outcome);
  if (change.state === 'planned' && outcome.status === 'open' && part)
    await context.session.runs.reportReconciled(part, { outcome: 'not_sent' });
  Object.assign(row, change);
  context.ledger.change(row.seq, change);
}

/**
 * Reports the outcome of rows that a killed process announced to its observers and didn't complete. Call it after the
 * sent rows were reconciled and before rows are sent again.
 */
export async function reportReconciledRows({
  ledger,
  session,
}: Pick<ReconcileContext, 'ledger' | 'session'>): Promise<void> {
  const run = ledger.id;
  if (run === undefined) return;
  for (const name of await session.runs.unfinishedParts(run)) {
    const { seq, step } = parsePartName(name);
    const row = ledger.row(seq);
    if (!row) continue;
    if (row.step > step)
      await session.runs.reportReconciled({ run, name }, { outcome: 'done', id: row.id ?? undefined });
    else if (row.state !== 'sent' && row.state !== 'unknown')
      await session.runs.reportReconciled({ run, name }, { outcome: 'not_sent' });
  }
}

function changeFor(row: LedgerRow, reconciled: ReconciledOutcome): RowChange {
  // If the service has reported a row as done or accepted it, the row isn't sent again, even if its record isn't found.
  const isReportedDone =
    reconciled.status === 'open' && (row.error?.outcome === 'done' || row.error?.answered !== undefined);
  const reason = row.action === 'create' ? 'It was not found.' : "The record doesn't have the new values.";
  const outcome: ReconciledOutcome = isReportedDone ? { status: 'unknown', reason } : reconciled;
  if (outcome.status === 'open') return { state: 'planned', error: null };
  if (outcome.status === 'unknown') {
    const message = row.error?.message ?? 'Its outcome is unknown.';
    return {
      state: 'unknown',
      error: {
        ...row.error,
        category: row.error?.category ?? 'unavailable',
        message: withReason(message, outcome.reason),
      },
    };
  }
  const step = row.step + 1;
  const id = outcome.id ?? row.id;
  return { step, id, state: step === row.steps.length ? 'done' : 'planned', error: null };
}

function withReason(message: string, reason: string): string {
  return message.endsWith(reason) ? message : `${message} ${reason}`;
}

async function outcomeOfRow(row: LedgerRow, context: ReconcileContext): Promise<ReconciledOutcome> {
  const { operation: write, ids = [], body = {} } = await buildCall(row, context);
  const known = row.steps[row.step]?.known;
  switch (write.effect) {
    case 'create': {
      // The names in responses of the fields by which rows were matched. Rows with their own resource use its natural key.
      const runKey = context.ledger.property('key') as string[] | undefined;
      const key = row.resource === null ? (runKey ?? []) : naturalKeyOf(write, body);
      return outcomeOfCreate(write, body, { ...context, key }, row.sentAt ?? 0);
    }
    case 'update':
      return outcomeOfUpdate(write, ids[0] ?? '', { body, known }, context);
    case 'delete':
    case 'restore':
      return outcomeOfDelete(write, ids[0] ?? '', row.step === 0 ? known : undefined, context);
    case 'link':
    case 'unlink':
      return outcomeOfLink(write, ids, { body, known }, context);
    default:
      return { status: 'unknown', reason: 'No record has these values.' };
  }
}

/** Looks for the record of a creation: by its key, or by all values that were sent if rows have no key. */
async function outcomeOfCreate(
  create: Operation,
  body: Row,
  context: ReconcileContext & { key: readonly string[] },
  sentAt: number,
): Promise<ReconciledOutcome> {
  const { resource } = create;
  const searchField = findSearchField(resource, create, body, context.key);
  if (searchField === undefined) return { status: 'unknown', reason: 'None of its fields can be searched.' };
  const value = String(body[searchField.name]);
  const include = relationsToInclude({ body: create.body.filter(({ name }) => Object.hasOwn(body, name)) });
  const recordsById = new Map<string, Row>();
  const search = { resource, searches: [{ by: searchField.responseName, values: [value] }], include };
  for await (const rows of findRecords(context.session, search)) {
    for (const record of rows) if (typeof record.id === 'string') recordsById.set(record.id, record);
  }
  const isClaimed = (id: string) => context.ledger.hasId(id);
  const isSame = (record: Row, names: readonly string[]) => hasSentValues({ create, body }, record, names);
  const hasKey =
    context.key.length > 0 &&
    context.key.every((name) =>
      create.body.some((entry) => entry.responseName === name && body[entry.name] !== undefined),
    );
  const allNames = create.body.map(({ responseName }) => responseName);
  const comparedNames = hasKey ? context.key : allNames;
  const matches = [...recordsById.values()].filter(
    (record) => !isClaimed(String(record.id)) && isSame(record, comparedNames),
  );
  const [match, ...otherMatches] = matches;
  if (!match) {
    // Someone may also have changed it before.
    for await (const rows of findRecords(context.session, { ...search, deletedOnly: true }))
      for (const record of rows)
        if (!isClaimed(String(record.id)) && isSame(record, comparedNames) && !isOlder(record, sentAt))
          return {
            status: 'unknown',
            reason: `The ${resource.noun} ${record.id} with ${hasKey ? 'its key' : 'these values'} was deleted since.`,
          };
    return { status: 'open' };
  }
  if (otherMatches.length > 0)
    return {
      status: 'unknown',
      reason: `${matches.length} ${resource.nouns} match it: ${matches.map(({ id }) => id).join(', ')}.`,
    };
  if (!isSame(match, allNames)) {
    return { status: 'unknown', reason: `The ${resource.noun} ${match.id} has its key, but other values.` };
  }
  return { status: 'done', id: String(match.id) };
}

/** The clocks of the service and of this machine differ by less, in milliseconds. */
const maxClockDifferenceMs = 86_400_000;

/** Returns whether a record was surely created before a request was sent. */
function isOlder({ created_at: createdAt }: Row, sentAt: number): boolean {
  const time = typeof createdAt === 'string' ? Date.parse(`${createdAt.replace(' ', 'T')}Z`) : Number.NaN;
  return time < sentAt - maxClockDifferenceMs;
}

/**
 * Returns whether a record has all values that a creation sent, as far as the record contains them; with `names`, only
 * these fields are compared.
 */
export function hasSentValues(
  { create, body }: { create: Operation; body: Row },
  record: Row,
  names?: readonly string[],
): boolean {
  const fields = create.body.filter(({ responseName }) => names?.includes(responseName) ?? true);
  return shownValues({ operation: { ...create, body: fields }, body }, record).every(({ isSame }) => isSame);
}

/**
 * Returns the first part of the natural key that is sent, and the choice fields that can only be set at creation: a tag
 * for customers isn't a tag for suppliers.
 */
function naturalKeyOf({ resource, body: fields }: Operation, body: Row): string[] {
  const isSent = ({ name }: { name: string }) => body[name] !== undefined && body[name] !== null;
  const sentFields = fields.filter(isSent);
  const keyName = resource.key.find((name) => sentFields.some((entry) => entry.responseName === name));
  const fixedFields = choicesFixedOnCreation(resource).filter(isSent);
  return keyName === undefined ? [] : [keyName, ...fixedFields.map(({ responseName }) => responseName)];
}

function findSearchField(resource: Resource, create: Operation, body: Row, key: readonly string[]) {
  const candidates = [...key, ...resource.key, ...resource.filters.map(({ on = '' }) => on)];
  const searchableFields = candidates.flatMap((name) => {
    const entry = create.body.find((field) => field.responseName === name);
    const filter = resource.filters.find(
      ({ on, match }) => on === name && (match === 'equals' || match === 'contains'),
    );
    const value = entry && body[entry.name];
    const isText = (typeof value === 'string' && value !== '') || typeof value === 'number';
    return entry && filter && isText && !entry.field.traits.secret
      ? [
          {
            entry,
            isExact:
              filter.match === 'equals' && entry.field.kind !== 'boolean' && entry.field.kind !== 'choice',
          },
        ]
      : [];
  });
  return (searchableFields.find(({ isExact }) => isExact) ?? searchableFields[0])?.entry;
}

/**
 * Compares the record with an update. It is sent again if the record still has the earlier values, `known`. If it has other
 * values, someone has changed it since, perhaps after this update.
 */
async function outcomeOfUpdate(
  update: Operation,
  id: string,
  { body, known }: { body: Row; known: Row | undefined },
  { session }: ReconcileContext,
): Promise<ReconciledOutcome> {
  const include = relationsToInclude({ body: update.body.filter(({ name }) => Object.hasOwn(body, name)) });
  const record = await fetchRecord(session, update.resource, id, include);
  if (record === undefined) return { status: 'open' };
  const difference = differenceOf(update.body, body, record, 'replace');
  if (Object.keys(difference.body).length === 0) return { status: 'done', id };
  const unsetFields = update.body.filter(({ name }) => Object.hasOwn(difference.body, name));
  const earlier = known && bodyFrom({ body: unsetFields }, known).body;
  return openIf(!earlier || Object.keys(differenceOf(unsetFields, earlier, record).body).length === 0);
}

/** Returns the outcome of a write whose effect a record doesn't have. If it changed since the plan, it may have had it. */
function openIf(isUnchanged: boolean): ReconciledOutcome {
  return isUnchanged
    ? { status: 'open' }
    : { status: 'unknown', reason: 'Someone has changed the record since.' };
}

async function outcomeOfDelete(
  { resource, effect }: Operation,
  id: string,
  known: Row | undefined,
  { session }: ReconcileContext,
): Promise<ReconciledOutcome> {
  const record = await fetchRecord(session, resource, id, []);
  const isAbsent = record === undefined || isDeleted(record);
  if (isAbsent === (effect === 'delete')) return { status: 'done', id };
  // A record that was deleted again after a restore, or restored after a deletion, has another time.
  const time = effect === 'restore' ? 'deleted_at' : 'updated_at';
  return openIf(!known?.[time] || known[time] === record?.[time]);
}

async function outcomeOfLink(
  write: Operation,
  [id = '', linkedId = '']: readonly string[],
  { body, known }: { body: Row; known: Row | undefined },
  { session }: ReconcileContext,
): Promise<ReconciledOutcome> {
  const { field = '' } = write.link ?? {};
  const record = await fetchRecord(session, write.resource, id, [field]);
  const isRemoved = write.effect === 'unlink';
  if (!linksIn(record, field)) return { status: 'open' };
  const setLink = (isRemoved ? write.inverse : write) ?? write;
  const [current, earlier] = [record, known].map((row) => linkValues(row, field, linkedId, setLink));
  if (isRemoved ? !current : isSameLink(setLink, current, body)) return { status: 'done', id };
  return openIf(!known || isSameLink(setLink, current, earlier, { isWhole: true }));
}

/** Returns a record; undefined if it doesn't exist. */
export async function fetchRecord(
  session: Session,
  resource: Resource,
  id: string,
  include: string[],
): Promise<Row | undefined> {
  const get = operation(resource, 'get');
  try {
    return get && (await session.get({ operation: get, ids: [id], query: { include } })).record;
  } catch (error) {
    if (error instanceof Failure && error.category === 'not_found') return undefined;
    throw error;
  }
}
