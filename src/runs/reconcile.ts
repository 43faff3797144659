/** Reconciles rows of unknown outcome with the service: done, still to be sent, or still unknown. */

import { Failure } from '../base/errors.ts';
import { type Operation, operation } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import { differenceOf } from '../session/diff/fields.ts';
import { findRecords } from '../session/find-records.ts';
import { isDeleted } from '../session/list.ts';
import { linksIn, pivotOf, relationsNeeded } from '../session/record-body.ts';
import { fixedChoices } from '../session/record-key.ts';
import type { Row } from '../session/row.ts';
import type { Session } from '../session/session.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { LedgerRow, RowChange } from './ledger/row.ts';
import type { OtherRows } from './other-rows.ts';
import { callOf, partOf, stepNamed } from './send-row.ts';

/**
 * The outcome of a row. `done`: with the record's id. `open`: it certainly wasn't carried out. `unknown`: with the
 * reason.
 */
export type Verdict = { is: 'done'; id?: string } | { is: 'open' } | { is: 'unknown'; why: string };

/** What reconciling reads and writes. */
export interface Reconciling {
  ledger: Ledger;
  session: Session;
  others: OtherRows;
  /**
   * The fields by which a row of the run's own resource was matched, by their names in answers: a record with the same
   * values is the row's record. Rows with a resource of their own use its natural key.
   */
  key: readonly string[];
}

/** Looks one row up at the service, and records the result in the ledger. */
export async function reconcile(row: LedgerRow, reconciling: Reconciling): Promise<void> {
  const verdict = await verdictOn(row, reconciling);
  const part = partOf(row, reconciling.ledger);
  if (verdict.is === 'done' && part)
    await reconciling.session.runs.reconciled(part, { is: 'done', id: verdict.id });
  const change = changeFor(row, verdict);
  if (change.state === 'planned' && verdict.is === 'open' && part)
    await reconciling.session.runs.reconciled(part, { is: 'not_sent' });
  Object.assign(row, change);
  reconciling.ledger.change(row.seq, change);
}

/**
 * Reports the rows that a killed process announced and whose outcome its observers don't know: the ledger knows it by
 * now. Call it when the rows that were sent have been looked up, before any is sent again.
 */
export async function reportReconciledRows({
  ledger,
  session,
}: Pick<Reconciling, 'ledger' | 'session'>): Promise<void> {
  const run = ledger.id;
  if (run === undefined) return;
  for (const name of await session.runs.unfinishedParts(run)) {
    const { seq, step } = stepNamed(name);
    const row = ledger.row(seq);
    if (!row) continue;
    if (row.step > step)
      await session.runs.reconciled({ run, name }, { is: 'done', id: row.id ?? undefined });
    else if (row.state !== 'sent' && row.state !== 'unknown')
      await session.runs.reconciled({ run, name }, { is: 'not_sent' });
  }
}

function changeFor(row: LedgerRow, found: Verdict): RowChange {
  // A row that the service has reported as done, or accepted, isn't sent again, even if the record isn't found.
  const isCalledDone =
    found.is === 'open' && (row.error?.outcome === 'done' || row.error?.answered !== undefined);
  const why = row.action === 'create' ? 'It was not found.' : "The record doesn't have the new values.";
  const verdict: Verdict = isCalledDone ? { is: 'unknown', why } : found;
  if (verdict.is === 'open') return { state: 'planned', error: null };
  if (verdict.is === 'unknown') {
    const message = row.error?.message ?? 'Its outcome is unknown.';
    return {
      state: 'unknown',
      error: {
        ...row.error,
        category: row.error?.category ?? 'unavailable',
        message: withReason(message, verdict.why),
      },
    };
  }
  const step = row.step + 1;
  const id = verdict.id ?? row.id;
  return { step, id, state: step === row.steps.length ? 'done' : 'planned', error: null };
}

function withReason(message: string, why: string): string {
  return message.endsWith(why) ? message : `${message} ${why}`;
}

async function verdictOn(row: LedgerRow, reconciling: Reconciling): Promise<Verdict> {
  const { operation: sent, ids = [], body = {} } = await callOf(row, reconciling);
  switch (sent.effect) {
    case 'create':
      return createdOr(
        sent,
        body,
        row.resource === null ? reconciling : { ...reconciling, key: ownKey(sent, body) },
      );
    case 'update':
      return updatedOr(sent, ids[0] ?? '', body, reconciling);
    case 'delete':
    case 'restore':
      return removedOr(sent, ids[0] ?? '', reconciling);
    case 'link':
    case 'unlink':
      return linkedOr(sent, ids, body, reconciling);
    default:
      return { is: 'unknown', why: 'No record has these values.' };
  }
}

/** Looks for the record of a creation: by its key, or by all values that were sent if rows have no key. */
async function createdOr(create: Operation, body: Row, reconciling: Reconciling): Promise<Verdict> {
  const { resource } = create;
  const by = fieldToAskFor(resource, create, body, reconciling.key);
  if (by === undefined) return { is: 'unknown', why: 'None of its fields can be searched.' };
  const value = String(body[by.name]);
  const include = relationsNeeded({ body: create.body.filter(({ name }) => Object.hasOwn(body, name)) });
  const found = new Map<string, Row>();
  const wanted = { resource, searches: [{ by: by.responseName, values: [value] }], include };
  for await (const rows of findRecords(reconciling.session, wanted)) {
    for (const record of rows) if (typeof record.id === 'string') found.set(record.id, record);
  }
  const claimed = (id: string) => reconciling.ledger.hasId(id);
  const isSame = (record: Row, names: readonly string[]) => hasSent({ create, body }, record, names);
  const keyed =
    reconciling.key.length > 0 &&
    reconciling.key.every((shown) =>
      create.body.some((entry) => entry.responseName === shown && body[entry.name] !== undefined),
    );
  const all = create.body.map(({ responseName }) => responseName);
  const same = [...found.values()].filter(
    (record) => !claimed(String(record.id)) && isSame(record, keyed ? reconciling.key : all),
  );
  const [only, ...others] = same;
  if (!only) return { is: 'open' };
  if (others.length > 0)
    return {
      is: 'unknown',
      why: `${same.length} ${resource.nouns} match it: ${same.map(({ id }) => id).join(', ')}.`,
    };
  if (!isSame(only, all)) {
    return { is: 'unknown', why: `The ${resource.noun} ${only.id} has its key, but other values.` };
  }
  return { is: 'done', id: String(only.id) };
}

/**
 * Returns whether a record has all values that a creation sent, as far as the record shows them; with `names`, only
 * these fields are compared.
 */
export function hasSent(
  { create, body }: { create: Operation; body: Row },
  record: Row,
  names?: readonly string[],
): boolean {
  const fields = create.body.filter(({ responseName }) => names?.includes(responseName) ?? true);
  const difference = differenceOf(fields, shownOf(body, fields, record), record, 'replace');
  return Object.keys(difference.body).length === 0;
}

/**
 * Returns the first part of the natural key that is sent, and the choices that can only be set at creation: a tag of
 * customers isn't a tag of suppliers.
 */
function ownKey({ resource, body: fields }: Operation, body: Row): string[] {
  const sent = fields.filter(({ name }) => body[name] !== undefined && body[name] !== null);
  const key = resource.key.find((shown) => sent.some((entry) => entry.responseName === shown));
  const fixed = fixedChoices(resource).filter(({ name }) => body[name] !== undefined && body[name] !== null);
  return key === undefined ? [] : [key, ...fixed.map(({ responseName }) => responseName)];
}

/** Returns the sent values that can be compared with the record: no secrets, and no fields that the record doesn't show. */
function shownOf(body: Row, fields: Operation['body'], record: Row): Row {
  return Object.fromEntries(
    fields.flatMap(({ name, responseName, field }) => {
      const isShown = !field.isHidden && (record[responseName] !== undefined || record[name] !== undefined);
      return isShown && Object.hasOwn(body, name) ? [[name, body[name]]] : [];
    }),
  );
}

function fieldToAskFor(resource: Resource, create: Operation, body: Row, key: readonly string[]) {
  const candidates = [...key, ...resource.key, ...resource.filters.map(({ on = '' }) => on)];
  const askable = candidates.flatMap((shown) => {
    const entry = create.body.find((each) => each.responseName === shown);
    const filter = resource.filters.find(
      ({ on, match }) => on === shown && (match === 'equals' || match === 'contains'),
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
  return (askable.find(({ isExact }) => isExact) ?? askable[0])?.entry;
}

/**
 * Compares the record with an update. An update can be repeated safely, so it is sent again unless the record has all
 * values.
 */
async function updatedOr(
  update: Operation,
  id: string,
  body: Row,
  { session }: Reconciling,
): Promise<Verdict> {
  const include = relationsNeeded({ body: update.body.filter(({ name }) => Object.hasOwn(body, name)) });
  const record = await recordOf(session, update.resource, id, include);
  if (record === undefined) return { is: 'open' };
  const difference = differenceOf(update.body, body, record, 'replace');
  return Object.keys(difference.body).length === 0 ? { is: 'done', id } : { is: 'open' };
}

async function removedOr(
  { resource, effect }: Operation,
  id: string,
  { session }: Reconciling,
): Promise<Verdict> {
  const record = await recordOf(session, resource, id, []);
  const isGone = record === undefined || isDeleted(record);
  return isGone === (effect === 'delete') ? { is: 'done', id } : { is: 'open' };
}

async function linkedOr(
  { resource, effect, link, body: fields }: Operation,
  [id = '', other = '']: readonly string[],
  body: Row,
  { session }: Reconciling,
): Promise<Verdict> {
  const record = await recordOf(session, resource, id, link ? [link.field] : []);
  const links = linksIn(record, link?.field ?? '');
  if (!links) return { is: 'open' };
  const current = links.find((one) => String(one.id) === other);
  if (effect === 'unlink') return current ? { is: 'open' } : { is: 'done', id };
  const difference = differenceOf(fields, body, pivotOf(current), 'replace');
  return current && Object.keys(difference.body).length === 0 ? { is: 'done', id } : { is: 'open' };
}

/** Returns a record; undefined if it doesn't exist. */
export async function recordOf(
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
