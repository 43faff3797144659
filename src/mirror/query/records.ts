/**
 * Builds records from a mirror's rows, in the form of an API response. Related records have only their IDs. Relations
 * stored on another resource are included if that resource was synced completely.
 */
import { ExactNumber } from '../../base/number-text.ts';
import type { Field } from '../../contract/field.ts';
import { parseJson, type Row } from '../../session/row.ts';
import { plainDecimal, scalars } from '../schema/cell.ts';
import type { Child } from '../schema/children.ts';
import type { Mirrored } from '../schema/derive.ts';
import { withDigits } from '../schema/numbers.ts';
import { type Cell, deletedColumn, idColumn, otherColumn } from '../schema/table.ts';
import { name as named, type Sql, sql, where } from '../stores/sql.ts';
import type { Reader, StoredRow } from '../stores/store.ts';
import { type Inverse, inverseOf, isInverseExcluded } from './inverse.ts';

/**
 * Returns the records of some rows of the main table. `synced` are the resources whose lists were read completely.
 */
export async function recordsOf(
  reader: Pick<Reader, 'read'>,
  mirrored: Mirrored,
  rows: readonly StoredRow[],
  synced: ReadonlySet<string>,
): Promise<Row[]> {
  const ids = rows.map((row) => String(row[idColumn]));
  const lists = new Map<string, Map<string, StoredRow[]>>();
  for (const { field, table, hidden } of mirrored.children) {
    if (hidden === 'all' || field === undefined || table.owner === undefined || ids.length === 0) continue;
    const { owner } = table;
    const hasPosition = table.columns.some(({ name }) => name === 'position');
    const stored = await reader.read(
      sql`SELECT * FROM ${named(table.name)} WHERE ${named(owner)} IN ${ids}
        ORDER BY ${named(hasPosition ? 'position' : idColumn)}`,
    );
    const digitRows = stored.map((row) => withDigits(table, row));
    lists.set(
      field,
      Map.groupBy(digitRows, (row) => String(row[owner])),
    );
  }
  const inverse = await inverseLists(reader, mirrored, ids, synced);
  return rows.map((row) => ({
    ...recordOf(mirrored, withDigits(mirrored.main, row), lists),
    ...Object.fromEntries(inverse.map(([name, linked]) => [name, linked.get(String(row[idColumn])) ?? []])),
  }));
}

type Linked = ReadonlyMap<string, Row[]>;

/** Returns the linked records of each record, by field. Deleted records are never linked. */
async function inverseLists(
  reader: Pick<Reader, 'read'>,
  { resource, excludes }: Mirrored,
  ids: readonly string[],
  synced: ReadonlySet<string>,
): Promise<[name: string, linked: Linked][]> {
  const lists: [string, Linked][] = [];
  for (const [name, field] of Object.entries(resource.fields)) {
    const inverse = inverseOf(resource, field);
    if (!inverse || !synced.has(inverse.resource.name) || ids.length === 0) continue;
    if (excludes(resource.name, name) || isInverseExcluded(field, excludes)) continue;
    const { table, own, other } = inverse;
    const conditions = where([sql`${named(own)} IN ${ids}`, ...withoutDeleted(inverse)]);
    const stored = await reader.read(
      sql`SELECT * FROM ${named(table.name)}${conditions} ORDER BY ${named(idColumn)}`,
    );
    const rows = stored.map((row) => withDigits(table, row));
    const linked = Map.groupBy(rows, (row) => String(row[own]));
    lists.push([
      name,
      new Map([...linked].map(([id, each]) => [id, each.map((row) => linkOf(field, other, row))])),
    ]);
  }
  return lists;
}

/**
 * Returns the condition that excludes deleted records. If the rows are the records themselves, no other table is read.
 */
function withoutDeleted({ table, other, main }: Inverse): Sql[] {
  if (!main.columns.some(({ name }) => name === deletedColumn)) return [];
  const isActive = sql`${named(deletedColumn)} IS NULL`;
  if (table === main) return [isActive];
  const active = sql`SELECT ${named(idColumn)} FROM ${named(main.name)} WHERE ${isActive}`;
  return [sql`${named(other)} IN (${active})`];
}

function recordOf(
  { resource, children, excludes }: Mirrored,
  row: StoredRow,
  lists: ReadonlyMap<string, ReadonlyMap<string, StoredRow[]>>,
): Row {
  const record: Row = {};
  for (const [name, field] of Object.entries(resource.fields)) {
    // An excluded field is omitted, so that it isn't taken for empty.
    if (excludes(resource.name, name)) continue;
    const linked = lists.get(name);
    const child = linked && children.find((each) => each.field === name);
    if (child) {
      const all = linked.get(String(row[idColumn])) ?? [];
      record[name] = all.map((each) => itemOf(field, child, each));
    } else if (field.kind === 'one') {
      const id = row[`${name}_id`];
      record[name] = id === null || id === undefined ? null : { id };
    } else if (Object.hasOwn(row, name)) {
      record[name] = jsonValue(field, row[name] ?? null);
    }
  }
  const other = row[otherColumn];
  return typeof other === 'string' ? { ...record, ...(parseJson(other)?.value as Row | undefined) } : record;
}

function itemOf(field: Field, { table }: Child, row: StoredRow): unknown {
  if (field.kind === 'ring') return [decimalValue(row.longitude), decimalValue(row.latitude)];
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
      pivotFields.map(([name, inner]) => [name, jsonValue(inner, row[name] ?? null)]),
    ),
  };
}

/** Returns the value as JSON has it: a number that is stored as text becomes a number again. */
function jsonValue({ kind }: Field, cell: Cell): unknown {
  if (cell === null) return null;
  if (kind === 'boolean') return Number(cell) === 1;
  // An integer that JavaScript can't hold is stored as its digits.
  const isNumber = kind === 'decimal' || (typeof cell === 'string' && scalars[kind]?.type === 'bigint');
  return isNumber ? exactNumber(String(cell)) : cell;
}

function decimalValue(cell: Cell | undefined): number | ExactNumber | null {
  return cell === null || cell === undefined ? null : exactNumber(String(cell));
}

/** Keeps all digits if the nearest JavaScript number differs. */
function exactNumber(digits: string): number | ExactNumber {
  const nearest = Number(digits);
  const plain = digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits;
  return plainDecimal(String(nearest)) === plain ? nearest : new ExactNumber(digits);
}
