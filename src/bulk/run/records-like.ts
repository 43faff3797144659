/** Records of an account by the keys with which rows were sent, or would be: who looks for what somebody else has added. */
import { shownWhenAsked } from '../../contract/include.ts';
import { operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { findRecords, type WantedRecords } from '../../session/find-records.ts';
import { askedBy } from '../../session/questions.ts';
import { isRow, type Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import { type Column, columnNamed } from '../columns/columns.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { LedgerRow } from '../ledger/row.ts';
import { type Key, keyFor, markOfRecord } from '../plan/mark.ts';

/** New rows of one resource that go by the same fields. */
interface NewRows {
  resource: Resource;
  key: Key;
  /** The part of the key that the list is asked by. */
  column: Column;
  /** By their marks. */
  rows: Map<string, LedgerRow>;
}

export interface Likeness {
  row: LedgerRow;
  /** A record with its key, which the ledger doesn't know. */
  record: Row;
  /** The record that the row itself has made, where it has and the list shows it. */
  own: Row | undefined;
}

/** For each of the new rows the records with its key that no row of the ledger is. Rows without a key have none. */
export async function* recordsLike(
  rows: Iterable<LedgerRow>,
  ledger: Ledger,
  session: Session,
): AsyncGenerator<Likeness> {
  for (const some of newRows(rows, ledger, session)) {
    const found = new Map<string, Map<string, Row>>();
    for await (const records of findRecords(session, wantedFor(some)))
      for (const record of records) {
        const mark = markOfRecord(record, some.key);
        if (mark === undefined || !some.rows.has(mark)) continue;
        found.set(mark, (found.get(mark) ?? new Map()).set(String(record.id), record));
      }
    for (const [mark, records] of found) {
      const row = some.rows.get(mark);
      for (const [id, record] of row ? records : [])
        if (row && !ledger.hasId(id)) yield { row, record, own: records.get(row.id ?? '') };
    }
  }
}

function newRows(rows: Iterable<LedgerRow>, ledger: Ledger, session: Session): NewRows[] {
  const found = new Map<string, NewRows>();
  const given = ledger.fact('key') as string[] | undefined;
  for (const row of rows) {
    const resource = session.api.resource(String(row.resource ?? ledger.fact('resource')));
    const create = resource && operation(resource, 'create');
    const made = row.steps.find(({ verb }) => verb === create?.verb)?.body;
    if (!resource || !isRow(made)) continue;
    // Rows of a file are matched by the key that it was imported with; others by what people know a record by.
    const isOfFile = given !== undefined && row.resource === null;
    const key = isOfFile ? keyFor(resource, { key: given }) : usualKey(resource, made);
    const mark = isOfFile ? markIn(row) : markOfRecord(asShown(made, key), key);
    const column = askedColumn(resource, key);
    if (mark === undefined || !column) continue;
    const name = JSON.stringify([resource.name, key.map(({ shown }) => shown)]);
    const some = found.get(name) ?? { resource, key, column, rows: new Map() };
    some.rows.set(mark, row);
    found.set(name, some);
  }
  return [...found.values()];
}

function markIn({ match }: LedgerRow): string | undefined {
  return match?.startsWith('k') ? match.slice(1) : undefined;
}

/**
 * The first of its names that a new record is given, with what is set for good when it is made: a tag of customers is none
 * of suppliers. Two people may bear one name.
 */
function usualKey(resource: Resource, body: Row): Key {
  const isOfPeople = resource.key.some((name) => resource.fields[name]?.traits.form !== undefined);
  const names = resource.key.filter((name) => !isOfPeople || name !== resource.title);
  const columns = names.flatMap((name) => columnNamed(resource, name) ?? []);
  const first = columns.find(({ create }) => (body[create?.name ?? ''] ?? '') !== '');
  const update = operation(resource, 'update');
  const fixed = (operation(resource, 'create')?.body ?? []).filter(
    ({ name, field }) =>
      field.kind === 'choice' &&
      body[name] !== undefined &&
      !update?.body.some((entry) => entry.name === name),
  );
  return first ? [first, ...fixed.flatMap(({ shown }) => columnNamed(resource, shown) ?? [])] : [];
}

function asShown(body: Row, key: Key): Row {
  return Object.fromEntries(key.map(({ shown, create }) => [shown, body[create?.name ?? '']]));
}

/** Undefined where the list can be asked by no part of the key. */
function askedColumn(resource: Resource, key: Key): Column | undefined {
  const by = askedBy(
    resource,
    key.map(({ shown }) => shown),
  );
  const column = key.find(({ shown }) => shown === by);
  return (column?.create ?? column?.update) && column;
}

function wantedFor({ resource, key, column, rows }: NewRows): WantedRecords {
  const field = (column.create ?? column.update)?.name ?? '';
  const values = new Set<string>();
  for (const { steps } of rows.values()) {
    const value = steps.find(({ body }) => isRow(body) && Object.hasOwn(body, field))?.body?.[field];
    if (typeof value === 'string' || typeof value === 'number') values.add(String(value));
  }
  const include = shownWhenAsked(
    resource,
    key.map(({ shown }) => shown),
  );
  return { resource, asks: [{ by: column.shown, values }], include };
}
