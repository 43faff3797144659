/** Records as an answer of the API shows them, made of a mirror’s rows: related ones by their ids. */
import type { Field } from '../../contract/field.ts';
import type { Row } from '../../session/row.ts';
import type { Child } from '../schema/children.ts';
import type { Mirrored } from '../schema/derive.ts';
import { type Cell, farColumn, idColumn, otherColumn } from '../schema/table.ts';
import type { Reader, StoredRow } from '../stores/store.ts';

export async function recordsOf(
  reader: Pick<Reader, 'queries' | 'read'>,
  mirrored: Mirrored,
  rows: readonly StoredRow[],
): Promise<Row[]> {
  const ids = rows.map((row) => String(row[idColumn]));
  const lists = new Map<string, Map<string, StoredRow[]>>();
  for (const { field, table } of mirrored.children) {
    if (field === undefined || table.owner === undefined || ids.length === 0) continue;
    const { owner } = table;
    const hasPosition = table.columns.some(({ name }) => name === 'position');
    const all = reader.queries.selectFrom(table.name).selectAll().where(owner, 'in', ids);
    const found = await reader.read(all.orderBy(hasPosition ? 'position' : idColumn));
    lists.set(
      field,
      Map.groupBy(found, (row) => String(row[owner])),
    );
  }
  return rows.map((row) => recordOf(mirrored, row, lists));
}

function recordOf(
  { resource, children }: Mirrored,
  row: StoredRow,
  lists: ReadonlyMap<string, ReadonlyMap<string, StoredRow[]>>,
): Row {
  const record: Row = {};
  for (const [name, field] of Object.entries(resource.fields)) {
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
  return typeof other === 'string' ? { ...record, ...(JSON.parse(other) as Row) } : record;
}

function itemOf(field: Field, { table }: Child, row: StoredRow): unknown {
  if (field.kind === 'ring') return [Number(row.longitude), Number(row.latitude)];
  if (field.kind === 'objects') return { id: row[idColumn] };
  if (field.kind !== 'many') return row.value;
  const { pivot } = field.traits;
  const far = farColumn(table) ?? '';
  if (!pivot) return { id: row[far] };
  const held = Object.entries(pivot).filter(([name]) => Object.hasOwn(row, name));
  return {
    id: row[far],
    pivot: Object.fromEntries(held.map(([name, inner]) => [name, shownOf(inner, row[name] ?? null)])),
  };
}

/** What JSON holds for it: a number that is kept as text is one again. */
function shownOf({ kind }: Field, cell: Cell): unknown {
  if (cell === null) return null;
  if (kind === 'boolean') return Number(cell) === 1;
  return kind === 'decimal' ? Number(cell) : cell;
}
