/**
 * Finds records that another process has created with the keys of a run's new rows. Locks on this machine can't prevent
 * that.
 */

import { filterForKey } from '../../account/session/find-queries.ts';
import { findRecords } from '../../account/session/find-records.ts';
import { choicesFixedOnCreation, identifiesPeople, KeyIndex } from '../../account/session/record-key.ts';
import { isRow, type Row } from '../../account/session/row.ts';
import type { Session } from '../../account/session/session.ts';
import { formatTimestamp } from '../../api/contract/date-time.ts';
import { fieldsToInclude } from '../../api/contract/include.ts';
import { operation } from '../../api/contract/operation.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { type Column, findColumn } from '../tables/columns/columns.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { LedgerRow } from './ledger/row.ts';
import { type Key, keyFor } from './match-key.ts';
import { hasSentValues } from './reconcile.ts';
import { operationOf } from './send-row.ts';

/** A record that a run has created and that exists twice. */
export interface DuplicateRecord {
  key: string;
  /** The ID of the record that the run has created. */
  id: string;
  /** The ID of the other record, which did not exist when the run was planned. */
  other: string;
}

/** The number of rows that are compared at a time. If a list can't be filtered, it is read once for each batch. */
const maxBatchRows = 20_000;

/** Returns the records that both a run and another process have created. `now` is in ms since 1970. */
export async function findDuplicates(
  ledger: Ledger,
  session: Session,
  now: number,
): Promise<DuplicateRecord[]> {
  const elapsedMs = now - Number(ledger.property('since') ?? 0);
  const duplicates: DuplicateRecord[] = [];
  const compare = async (rows: readonly LedgerRow[]) => {
    for await (const { row, record, createdRecord } of recordsWithSameKey(rows, ledger, session))
      if (row.id !== null && !isOlderThanPlan(record, createdRecord, elapsedMs))
        duplicates.push({ key: row.key ?? row.id, id: row.id, other: String(record.id) });
  };
  let createdRows: LedgerRow[] = [];
  for (const rows of ledger.batches('done')) {
    createdRows.push(...rows.filter(({ action, id }) => action === 'create' && id !== null));
    if (createdRows.length < maxBatchRows) continue;
    await compare(createdRows);
    createdRows = [];
  }
  await compare(createdRows);
  return duplicates;
}

/**
 * Returns whether a record is older than the plan. Both times are by the service's clock, which may differ from ours.
 */
function isOlderThanPlan(record: Row, createdRecord: Row | undefined, elapsedMs: number): boolean {
  // The service returns whole seconds.
  return timeOf(createdRecord ?? {}) - timeOf(record) > elapsedMs + 1000;
}

/**
 * Returns the records that were created since a run was planned, by the number of the row that would create each again.
 * Rows without a key are ignored.
 */
export async function recordsCreatedSince(
  rows: readonly LedgerRow[],
  ledger: Ledger,
  session: Session,
): Promise<Map<number, Row>> {
  const recordsBySeq = new Map<number, Row>();
  const creations = rows.filter((row) => isNew(row, session));
  for await (const { row, record } of recordsWithSameKey(creations, ledger, session))
    recordsBySeq.set(row.seq, record);
  return recordsBySeq;
}

function isNew({ steps: [first], step }: LedgerRow, session: Session): boolean {
  return step === 0 && first !== undefined && operationOf(first, session).effect === 'create';
}

/** The clock of the service may be this far behind the clock of this machine. */
const maxClockDifferenceMs = 60_000;

/**
 * Returns the records that were created since a run was planned and have the values of its rows without a key, by the
 * number of the row that would create each again: a copy of the ledger was sent then, for example. Each record matches one
 * row.
 */
export async function findCreatedCopies(
  { ledger, session, resolve }: CopiesContext,
  isDue: (row: LedgerRow) => boolean,
): Promise<Map<number, Row>> {
  const since = Number(ledger.property('since') ?? 0) - maxClockDifferenceMs;
  const recordsBySeq = new Map<number, Row>();
  for (const [resource, rows] of newRowsWithoutKey(isDue, ledger, session)) {
    const [create, list] = [operation(resource, 'create'), operation(resource, 'list')];
    if (!create || !list) continue;
    const include = fieldsToInclude(
      resource,
      create.body.map(({ responseName }) => responseName),
    );
    // A service may read the time of the filter in its own time zone.
    const filters = { updated_after: formatTimestamp(new Date(since - 86_400_000)) };
    const listing = session.list({ operation: list, query: { filters, include } }, { readsAll: true });
    for await (const record of listing.rows()) {
      if (!(timeOf(record) >= since) || ledger.hasId(String(record.id))) continue;
      const index = rows.findIndex((row) => {
        const body = resolve(row.steps[0]?.body, row);
        return body !== undefined && hasSentValues({ create, body }, record);
      });
      for (const { seq } of rows.splice(index, index < 0 ? 0 : 1)) recordsBySeq.set(seq, record);
    }
  }
  return recordsBySeq;
}

/** The run to compare, and a function that replaces references to other rows, as far as these have an ID. */
interface CopiesContext {
  ledger: Ledger;
  session: Session;
  resolve(body: Row | undefined, row: LedgerRow): Row | undefined;
}

/** Returns the rows that create a record and have no key, by resource. */
function newRowsWithoutKey(
  isDue: (row: LedgerRow) => boolean,
  ledger: Ledger,
  session: Session,
): Map<Resource, LedgerRow[]> {
  const rowsByResource = new Map<Resource, LedgerRow[]>();
  for (const batch of ledger.batches('planned')) {
    const rows = batch.filter((row) => isDue(row) && isNew(row, session));
    const keyed = new Set([...newRows(rows, ledger, session).values()].flatMap(({ rows }) => [...rows]));
    for (const row of rows) {
      const resource = session.api.resource(String(row.resource ?? ledger.property('resource')));
      if (!resource || keyed.has(row.seq)) continue;
      const others = rowsByResource.get(resource) ?? [];
      others.push(row);
      rowsByResource.set(resource, others);
    }
  }
  return rowsByResource;
}

/** Returns when a record was created by the clock of the service, in ms since 1970; NaN if it is unknown. */
function timeOf({ created_at: createdAt }: Row): number {
  return typeof createdAt === 'string' ? Date.parse(`${createdAt.replace(' ', 'T')}Z`) : Number.NaN;
}

interface KeyMatch {
  row: LedgerRow;
  /** A record with the key of the row, whose ID the ledger doesn't contain. */
  record: Row;
  /** The record that the row itself has created, if it exists and the list contains it. */
  createdRecord: Row | undefined;
}

async function* recordsWithSameKey(
  rows: Iterable<LedgerRow>,
  ledger: Ledger,
  session: Session,
): AsyncGenerator<KeyMatch> {
  for (const [resource, { index, keyFields }] of newRows(rows, ledger, session)) {
    const recordsByRow = new Map<LedgerRow, Map<string, Row>>();
    const include = fieldsToInclude(resource, [...keyFields]);
    for await (const records of findRecords(session, {
      resource,
      searches: index.searches(resource),
      include,
    }))
      for (const record of records)
        for (const row of index.related(record).same)
          recordsByRow.set(row, (recordsByRow.get(row) ?? new Map()).set(String(record.id), record));
    for (const [row, records] of recordsByRow)
      for (const [id, record] of records)
        if (!ledger.hasId(id)) yield { row, record, createdRecord: records.get(row.id ?? '') };
  }
}

/** The new rows of a resource by their keys, and the fields of the keys. */
interface NewRows {
  index: KeyIndex<LedgerRow>;
  keyFields: Set<string>;
  rows: Set<number>;
}

function newRows(rows: Iterable<LedgerRow>, ledger: Ledger, session: Session): Map<Resource, NewRows> {
  const rowsByResource = new Map<Resource, NewRows>();
  const importKey = ledger.property('key') as string[] | undefined;
  for (const row of rows) {
    const resource = session.api.resource(String(row.resource ?? ledger.property('resource')));
    const create = resource && operation(resource, 'create');
    const body = row.steps.find(({ verb }) => verb === create?.verb)?.body;
    if (!resource || !isRow(body)) continue;
    // Rows of a file are matched by the key of the import, and other rows by the natural key.
    const isFromFile = importKey !== undefined && row.resource === null;
    if (isFromFile && !row.match?.startsWith('k')) continue;
    const key = isFromFile ? keyFor(resource, { key: importKey }) : defaultKey(resource, body);
    const names = key.map(({ responseName }) => responseName);
    if (filterForKey(resource, names) === undefined) continue;
    const newRows = rowsByResource.get(resource) ?? {
      index: new KeyIndex<LedgerRow>(),
      keyFields: new Set(),
      rows: new Set(),
    };
    const { index, keyFields } = newRows;
    rowsByResource.set(resource, newRows);
    newRows.rows.add(row.seq);
    for (const name of names) keyFields.add(name);
    index.add(
      key,
      Object.fromEntries(key.map((column) => [column.responseName, sentValue(row, column)])),
      row,
    );
  }
  return rowsByResource;
}

function sentValue({ steps }: LedgerRow, { create, update }: Column): unknown {
  const name = (create ?? update)?.name ?? '';
  return steps.find(({ body }) => isRow(body) && Object.hasOwn(body, name))?.body?.[name];
}

/**
 * Returns the first field of the natural key that a new record has, with the choices that can only be set at creation.
 */
function defaultKey(resource: Resource, body: Row): Key {
  const isPerson = identifiesPeople(resource);
  const names = resource.key.filter((name) => !isPerson || name !== resource.title);
  const columns = names.flatMap((name) => findColumn(resource, name) ?? []);
  const firstColumn = columns.find(({ create }) => (body[create?.name ?? ''] ?? '') !== '');
  const fixedFields = choicesFixedOnCreation(resource).filter(({ name }) => body[name] !== undefined);
  return firstColumn
    ? [firstColumn, ...fixedFields.flatMap(({ responseName }) => findColumn(resource, responseName) ?? [])]
    : [];
}
