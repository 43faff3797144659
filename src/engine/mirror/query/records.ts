/**
 * Builds records from a mirror's rows, in the format of an API response. Related records have only their IDs. Relations
 * stored on another resource are included if that resource was synced completely.
 */

import { parseJson, type Row } from '../../../account/session/row.ts';
import type { Field } from '../../../api/contract/field.ts';
import { identifier, type Sql, sql, where } from '../../../api/sql/sql.ts';
import { ExactNumber } from '../../../base/number-text.ts';
import { plainDecimal, scalars } from '../schema/cell.ts';
import type { ChildTable } from '../schema/children.ts';
import type { MirroredResource } from '../schema/derive.ts';
import { withDigits } from '../schema/numbers.ts';
import { type Cell, deletedColumn, idColumn, otherColumn } from '../schema/table.ts';
import type { Reader, StoredRow } from '../stores/store.ts';
import { type InverseRelation, inverseOf, isInverseExcluded } from './conditions.ts';

/**
 * Returns the records of some rows of the main table. `synced` are the resources whose lists were read completely.
 */
export async function buildRecords(
  reader: Pick<Reader, 'read'>,
  mirrored: MirroredResource,
  rows: readonly StoredRow[],
  synced: ReadonlySet<string>,
): Promise<Row[]> {
  const ids = rows.map((row) => String(row[idColumn]));
  const lists = new Map<string, Map<string, StoredRow[]>>();
  for (const { field, table, hidden } of mirrored.children) {
    if (hidden === 'all' || field === undefined || table.owner === undefined || ids.length === 0) continue;
    const { owner } = table;
    const hasPosition = table.columns.some(({ name }) => name === 'position');
    const storedRows = await reader.read(
      sql`SELECT * FROM ${identifier(table.name)} WHERE ${identifier(owner)} IN ${ids}
        ORDER BY ${identifier(hasPosition ? 'position' : idColumn)}`,
    );
    const digitRows = storedRows.map((row) => withDigits(table, row));
    lists.set(
      field,
      Map.groupBy(digitRows, (row) => String(row[owner])),
    );
  }
  const inverse = await readInverseLists(reader, mirrored, ids, synced);
  return rows.map((row) => ({
    ...buildRecord(mirrored, withDigits(mirrored.main, row), lists),
    ...Object.fromEntries(
      inverse.map(([name, linkedRecords]) => [name, linkedRecords.get(String(row[idColumn])) ?? []]),
    ),
  }));
}

type LinkedRows = ReadonlyMap<string, Row[]>;

/** Returns the linked records of each record, by field. Deleted records are never linked. */
async function readInverseLists(
  reader: Pick<Reader, 'read'>,
  { resource, excludes }: MirroredResource,
  ids: readonly string[],
  synced: ReadonlySet<string>,
): Promise<[name: string, linked: LinkedRows][]> {
  const lists: [string, LinkedRows][] = [];
  for (const [name, field] of Object.entries(resource.fields)) {
    const inverse = inverseOf(resource, field);
    if (!inverse || !synced.has(inverse.resource.name) || ids.length === 0) continue;
    if (excludes(resource.name, name) || isInverseExcluded(field, excludes)) continue;
    const { table, recordColumn, linkedColumn } = inverse;
    const conditions = where([sql`${identifier(recordColumn)} IN ${ids}`, ...activeConditions(inverse)]);
    const storedRows = await reader.read(
      sql`SELECT * FROM ${identifier(table.name)}${conditions} ORDER BY ${identifier(idColumn)}`,
    );
    const rows = storedRows.map((row) => withDigits(table, row));
    const rowsByRecord = Map.groupBy(rows, (row) => String(row[recordColumn]));
    lists.push([
      name,
      new Map(
        [...rowsByRecord].map(([id, linkRows]) => [
          id,
          linkRows.map((row) => linkOf(field, linkedColumn, row)),
        ]),
      ),
    ]);
  }
  return lists;
}

/**
 * Returns the condition that excludes deleted records. If the rows are the records themselves, no other table is read.
 */
function activeConditions({ table, linkedColumn, main }: InverseRelation): Sql[] {
  if (!main.columns.some(({ name }) => name === deletedColumn)) return [];
  const activeCondition = sql`${identifier(deletedColumn)} IS NULL`;
  if (table === main) return [activeCondition];
  const activeIds = sql`SELECT ${identifier(idColumn)} FROM ${identifier(main.name)} WHERE ${activeCondition}`;
  return [sql`${identifier(linkedColumn)} IN (${activeIds})`];
}

function buildRecord(
  { resource, children, excludes }: MirroredResource,
  row: StoredRow,
  lists: ReadonlyMap<string, ReadonlyMap<string, StoredRow[]>>,
): Row {
  const record: Row = {};
  for (const [name, field] of Object.entries(resource.fields)) {
    // An excluded field is omitted: null would mean that it is empty.
    if (excludes(resource.name, name)) continue;
    const rowsByOwner = lists.get(name);
    const child = rowsByOwner && children.find(({ field }) => field === name);
    if (child) {
      const childRows = rowsByOwner.get(String(row[idColumn])) ?? [];
      record[name] = childRows.map((childRow) => itemOf(field, child, childRow));
    } else if (field.kind === 'one') {
      const id = row[`${name}_id`];
      record[name] = id === null || id === undefined ? null : { id };
    } else if (Object.hasOwn(row, name)) {
      record[name] = toJsonValue(field, row[name] ?? null);
    }
  }
  const otherFields = row[otherColumn];
  return typeof otherFields === 'string'
    ? { ...record, ...(parseJson(otherFields)?.value as Row | undefined) }
    : record;
}

function itemOf(field: Field, { table }: ChildTable, row: StoredRow): unknown {
  if (field.kind === 'ring') return [toDecimal(row.longitude), toDecimal(row.latitude)];
  if (field.kind === 'objects') return { id: row[idColumn] };
  return field.kind === 'many' ? linkOf(field, table.linked ?? '', row) : row.value;
}

/** Returns the linked record whose ID is in the column, with the data of the link. */
function linkOf({ traits: { pivot } }: Field, column: string, row: StoredRow): Row {
  if (!pivot) return { id: row[column] };
  const pivotFields = Object.entries(pivot).filter(([name]) => Object.hasOwn(row, name));
  return {
    id: row[column],
    pivot: Object.fromEntries(
      pivotFields.map(([name, pivotField]) => [name, toJsonValue(pivotField, row[name] ?? null)]),
    ),
  };
}

/** Returns the JSON value of a cell: a number that is stored as text becomes a number again. */
function toJsonValue({ kind }: Field, cell: Cell): unknown {
  if (cell === null) return null;
  if (kind === 'boolean') return Number(cell) === 1;
  // An integer that JavaScript can't represent exactly is stored as its digits.
  const isNumber = kind === 'decimal' || (typeof cell === 'string' && scalars[kind]?.type === 'bigint');
  return isNumber ? toExactNumber(String(cell)) : cell;
}

function toDecimal(cell: Cell | undefined): number | ExactNumber | null {
  return cell === null || cell === undefined ? null : toExactNumber(String(cell));
}

/** Returns a number, or an `ExactNumber` with all digits if the nearest JavaScript number differs. */
function toExactNumber(digits: string): number | ExactNumber {
  const number = Number(digits);
  const plainDigits = digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits;
  return plainDecimal(String(number)) === plainDigits ? number : new ExactNumber(digits);
}
