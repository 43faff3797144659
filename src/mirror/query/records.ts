/**
 * Records as an answer of the API shows them, made of a mirror’s rows: related ones by their ids. What the other side
 * holds of a relation is shown where its list was read, too.
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
import { type Inverse, inverseOf, isInverseLeftOut } from './inverse.ts';

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
    const found = stored.map((row) => withDigits(table, row));
    lists.set(
      field,
      Map.groupBy(found, (row) => String(row[owner])),
    );
  }
  const inverse = await inverseLists(reader, mirrored, ids, synced);
  return rows.map((row) => ({
    ...recordOf(mirrored, withDigits(mirrored.main, row), lists),
    ...Object.fromEntries(inverse.map(([name, linked]) => [name, linked.get(String(row[idColumn])) ?? []])),
  }));
}

type Linked = ReadonlyMap<string, Row[]>;

/** By field, what is linked to each of the records. A deleted record is linked to nothing. */
async function inverseLists(
  reader: Pick<Reader, 'read'>,
  { resource, leavesOut }: Mirrored,
  ids: readonly string[],
  synced: ReadonlySet<string>,
): Promise<[name: string, linked: Linked][]> {
  const found: [string, Linked][] = [];
  for (const [name, field] of Object.entries(resource.fields)) {
    const inverse = inverseOf(resource, field);
    if (!inverse || !synced.has(inverse.resource.name) || ids.length === 0) continue;
    if (leavesOut(resource.name, name) || isInverseLeftOut(field, leavesOut)) continue;
    const { table, own, other } = inverse;
    const conditions = where([sql`${named(own)} IN ${ids}`, ...withoutDeleted(inverse)]);
    const stored = await reader.read(
      sql`SELECT * FROM ${named(table.name)}${conditions} ORDER BY ${named(idColumn)}`,
    );
    const rows = stored.map((row) => withDigits(table, row));
    const linked = Map.groupBy(rows, (row) => String(row[own]));
    found.push([
      name,
      new Map([...linked].map(([id, each]) => [id, each.map((row) => linkOf(field, other, row))])),
    ]);
  }
  return found;
}

/** Without a look at other tables where the rows are the records themselves: there may be many. */
function withoutDeleted({ table, other, main }: Inverse): Sql[] {
  if (!main.columns.some(({ name }) => name === deletedColumn)) return [];
  const isActive = sql`${named(deletedColumn)} IS NULL`;
  if (table === main) return [isActive];
  const active = sql`SELECT ${named(idColumn)} FROM ${named(main.name)} WHERE ${isActive}`;
  return [sql`${named(other)} IN (${active})`];
}

function recordOf(
  { resource, children, leavesOut }: Mirrored,
  row: StoredRow,
  lists: ReadonlyMap<string, ReadonlyMap<string, StoredRow[]>>,
): Row {
  const record: Row = {};
  for (const [name, field] of Object.entries(resource.fields)) {
    // Nobody is to take it for empty.
    if (leavesOut(resource.name, name)) continue;
    const linked = lists.get(name);
    const child = linked && children.find((each) => each.field === name);
    if (child) {
      const all = linked.get(String(row[idColumn])) ?? [];
      record[name] = all.map((each) => itemOf(field, child, each));
    } else if (field.kind === 'one') {
      const id = row[`${name}_id`];
      record[name] = id === null || id === undefined ? null : { id };
    } else if (Object.hasOwn(row, name)) {
      record[name] = shownOf(field, row[name] ?? null);
    }
  }
  const other = row[otherColumn];
  return typeof other === 'string' ? { ...record, ...(parseJson(other)?.value as Row | undefined) } : record;
}

function itemOf(field: Field, { table }: Child, row: StoredRow): unknown {
  if (field.kind === 'ring') return [decimalOf(row.longitude), decimalOf(row.latitude)];
  if (field.kind === 'objects') return { id: row[idColumn] };
  return field.kind === 'many' ? linkOf(field, table.far ?? '', row) : row.value;
}

/** The record whose id is in the column, with what the link holds. */
function linkOf({ traits: { pivot } }: Field, column: string, row: StoredRow): Row {
  if (!pivot) return { id: row[column] };
  const held = Object.entries(pivot).filter(([name]) => Object.hasOwn(row, name));
  return {
    id: row[column],
    pivot: Object.fromEntries(held.map(([name, inner]) => [name, shownOf(inner, row[name] ?? null)])),
  };
}

/** What JSON holds for it: a number that is kept as text is one again. */
function shownOf({ kind }: Field, cell: Cell): unknown {
  if (cell === null) return null;
  if (kind === 'boolean') return Number(cell) === 1;
  // A whole number that JavaScript doesn’t hold comes as its digits.
  const isNumber = kind === 'decimal' || (typeof cell === 'string' && scalars[kind]?.type === 'bigint');
  return isNumber ? numberOf(String(cell)) : cell;
}

function decimalOf(cell: Cell | undefined): number | ExactNumber | null {
  return cell === null || cell === undefined ? null : numberOf(String(cell));
}

/** With all of its digits, where the nearest number that JavaScript holds is another one. */
function numberOf(digits: string): number | ExactNumber {
  const nearest = Number(digits);
  const plain = digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits;
  return plainDecimal(String(nearest)) === plain ? nearest : new ExactNumber(digits);
}
