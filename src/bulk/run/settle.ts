/** Rows of unknown outcome, looked up at the service: done, still to be sent, or not to be told. */

import { type Operation, operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { Failure } from '../../errors.ts';
import { findRecords } from '../../session/find-records.ts';
import { linksIn, pivotOf } from '../../session/link.ts';
import { isDeleted } from '../../session/list.ts';
import { relationsNeeded } from '../../session/record-body.ts';
import type { Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { LedgerRow, RowChange } from '../ledger/row.ts';
import { differenceOf } from '../plan/compare.ts';
import type { OtherRows } from './other-rows.ts';
import { callOf, partOf } from './send-row.ts';

/** `done`, with the record’s id · `open`: it surely wasn’t carried out · `unknown`, with the reason. */
export type Verdict = { is: 'done'; id?: string } | { is: 'open' } | { is: 'unknown'; why: string };

export interface Settling {
  ledger: Ledger;
  session: Session;
  others: OtherRows;
  /**
   * By which a row of the run’s own resource was matched, as answers call the fields: what it shares with a record
   * makes it that record. Rows that say their resource themselves are known by the natural key of that.
   */
  key: readonly string[];
}

/** Looks at one row, and keeps what came of it. */
export async function settle(row: LedgerRow, settling: Settling): Promise<void> {
  const verdict = await verdictOn(row, settling);
  const part = partOf(row, settling.ledger);
  if (verdict.is === 'done' && part)
    await settling.session.runs.settled(part, { to: 'done', id: verdict.id });
  const change = changeFor(row, verdict);
  Object.assign(row, change);
  settling.ledger.change(row.seq, change);
}

function changeFor(row: LedgerRow, found: Verdict): RowChange {
  // What the service has called done isn’t sent again, wherever it is.
  const isCalledDone = found.is === 'open' && row.error?.outcome === 'done';
  const verdict: Verdict = isCalledDone ? { is: 'unknown', why: 'It is not found.' } : found;
  if (verdict.is === 'open') return { state: 'planned', error: null };
  if (verdict.is === 'unknown') {
    const message = row.error?.message ?? 'Whether it was carried out is not known.';
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

async function verdictOn(row: LedgerRow, settling: Settling): Promise<Verdict> {
  const { operation: sent, ids = [], body = {} } = await callOf(row, settling);
  switch (sent.effect) {
    case 'create':
      return createdOr(
        sent,
        body,
        row.resource === null ? settling : { ...settling, key: ownKey(sent, body) },
      );
    case 'update':
      return updatedOr(sent, ids[0] ?? '', body, settling);
    case 'delete':
    case 'restore':
      return removedOr(sent, ids[0] ?? '', settling);
    case 'link':
    case 'unlink':
      return linkedOr(sent, ids, body, settling);
    default:
      return { is: 'unknown', why: 'Nothing shows whether it was.' };
  }
}

/** A new record is known by its key, and where rows have none by all that was sent. */
async function createdOr(create: Operation, body: Row, settling: Settling): Promise<Verdict> {
  const { resource } = create;
  const by = fieldToAskFor(resource, create, body, settling.key);
  if (by === undefined) return { is: 'unknown', why: 'No field of it can be asked for.' };
  const value = String(body[by.name]);
  const include = relationsNeeded({ body: create.body.filter(({ name }) => Object.hasOwn(body, name)) });
  const found = new Map<string, Row>();
  const wanted = { resource, asks: [{ by: by.shown, values: [value] }], include };
  for await (const rows of findRecords(settling.session, wanted)) {
    for (const record of rows) if (typeof record.id === 'string') found.set(record.id, record);
  }
  const claimed = (id: string) => settling.ledger.hasId(id);
  const isAlike = (record: Row, names: readonly string[]) => {
    const fields = create.body.filter(({ shown }) => names.includes(shown));
    return (
      Object.keys(differenceOf(fields, shownOf(body, fields, record), record, 'replace').body).length === 0
    );
  };
  const keyed =
    settling.key.length > 0 &&
    settling.key.every((shown) =>
      create.body.some((entry) => entry.shown === shown && body[entry.name] !== undefined),
    );
  const all = create.body.map(({ shown }) => shown);
  const same = [...found.values()].filter(
    (record) => !claimed(String(record.id)) && isAlike(record, keyed ? settling.key : all),
  );
  const [only, ...others] = same;
  if (!only) return { is: 'open' };
  if (others.length > 0)
    return {
      is: 'unknown',
      why: `${same.length} ${resource.nouns} could be it: ${same.map(({ id }) => id).join(', ')}.`,
    };
  if (!isAlike(only, all)) {
    return { is: 'unknown', why: `The ${resource.noun} ${only.id} has its key, and other values.` };
  }
  return { is: 'done', id: String(only.id) };
}

/** The first part of the natural key that is sent, and what is set at creation alone: a tag of customers is none of suppliers. */
function ownKey({ resource, body: fields }: Operation, body: Row): string[] {
  const sent = fields.filter(({ name }) => body[name] !== undefined && body[name] !== null);
  const key = resource.key.find((shown) => sent.some((entry) => entry.shown === shown));
  const changeable = operation(resource, 'update')?.body ?? [];
  const fixed = sent.filter(
    ({ name, field }) => field.kind === 'choice' && !changeable.some((entry) => entry.name === name),
  );
  return key === undefined ? [] : [key, ...fixed.map(({ shown }) => shown)];
}

/** Secrets and what the record doesn’t show can’t be held against it. */
function shownOf(body: Row, fields: Operation['body'], record: Row): Row {
  return Object.fromEntries(
    fields.flatMap(({ name, shown, field }) => {
      const isShown = !field.isHidden && (record[shown] !== undefined || record[name] !== undefined);
      return isShown && Object.hasOwn(body, name) ? [[name, body[name]]] : [];
    }),
  );
}

function fieldToAskFor(resource: Resource, create: Operation, body: Row, key: readonly string[]) {
  const candidates = [...key, ...resource.key, ...resource.filters.map(({ on = '' }) => on)];
  const askable = candidates.flatMap((shown) => {
    const entry = create.body.find((each) => each.shown === shown);
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

/** The same update twice is the same as once: it is sent again unless the record is as it should be. */
async function updatedOr(update: Operation, id: string, body: Row, { session }: Settling): Promise<Verdict> {
  const include = relationsNeeded({ body: update.body.filter(({ name }) => Object.hasOwn(body, name)) });
  const record = await recordOf(session, update.resource, id, include);
  if (record === undefined) return { is: 'open' };
  const difference = differenceOf(update.body, body, record, 'replace');
  return Object.keys(difference.body).length === 0 ? { is: 'done', id } : { is: 'open' };
}

async function removedOr(
  { resource, effect }: Operation,
  id: string,
  { session }: Settling,
): Promise<Verdict> {
  const record = await recordOf(session, resource, id, []);
  const isGone = record === undefined || isDeleted(record);
  return isGone === (effect === 'delete') ? { is: 'done', id } : { is: 'open' };
}

async function linkedOr(
  { resource, effect, link, body: fields }: Operation,
  [id = '', other = '']: readonly string[],
  body: Row,
  { session }: Settling,
): Promise<Verdict> {
  const record = await recordOf(session, resource, id, link ? [link.field] : []);
  const links = linksIn(record, link?.field ?? '');
  if (!links) return { is: 'open' };
  const held = links.find((one) => String(one.id) === other);
  if (effect === 'unlink') return held ? { is: 'open' } : { is: 'done', id };
  const difference = differenceOf(fields, body, pivotOf(held), 'replace');
  return held && Object.keys(difference.body).length === 0 ? { is: 'done', id } : { is: 'open' };
}

async function recordOf(
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
