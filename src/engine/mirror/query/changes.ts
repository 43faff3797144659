/** Reads the log of changes: each change with the row before and after it. */
import { identifier, type Sql, sql, where } from '../../../api/sql/sql.ts';
import type { MirroredResource } from '../schema/derive.ts';
import { withDigits } from '../schema/numbers.ts';
import { idColumn, readingColumn, type Table } from '../schema/table.ts';
import { changesTable, type RowOperation } from '../schema/versions.ts';
import type { Reader, StoredRow } from '../stores/store.ts';

/** A change of a row, as a sync has seen it. */
export interface RowChange {
  sequence: number;
  mirrored: MirroredResource;
  table: Table;
  recordId: string;
  rowId: string;
  operation: RowOperation;
  /** The change happened between these times (UTC). */
  seenAfter: string | null;
  seenAt: string;
  /** The changed columns; none if the row is new or gone. */
  changed: readonly string[];
  /** The row before and after the change, decimal numbers as digits; undefined if there was none. */
  old: StoredRow | undefined;
  new: StoredRow | undefined;
}

export interface ChangeFilter {
  /** Changes with higher numbers. */
  after?: number | undefined;
  /** Changes that were seen at this time (UTC) or later. */
  since?: string | undefined;
}

/** The number of changes that are read at a time. */
const batchRows = 500;

/** Yields the changes of the resources, oldest first. Read them in a snapshot: the rows after a change are read later. */
export async function* readChanges(
  reader: Pick<Reader, 'read'>,
  resources: readonly MirroredResource[],
  { after = 0, since }: ChangeFilter = {},
): AsyncGenerator<RowChange> {
  const tables = new Map(
    resources.flatMap((mirrored) =>
      mirrored.tables.map((table) => [table.name, { mirrored, table }] as const),
    ),
  );
  const names = resources.map(({ resource }) => resource.name);
  for (let last = after; ; ) {
    const conditions: Sql[] = [sql`sequence > ${last}`, sql`resource IN ${names}`];
    if (since !== undefined) conditions.push(sql`seen_at >= ${since}`);
    const rows = await reader.read(
      sql`SELECT * FROM ${identifier(changesTable.name)}${where(conditions)} ORDER BY sequence LIMIT ${batchRows}`,
    );
    const rowsAfter = await readRowsAfter(reader, rows);
    for (const row of rows) {
      const place = tables.get(String(row.table_name));
      if (!place) continue;
      const { mirrored, table } = place;
      const [old, newRow] = [parseRow(row.old_row), rowsAfter.get(Number(row.sequence))];
      yield {
        sequence: Number(row.sequence),
        ...{ mirrored, table, recordId: String(row.record_id), rowId: String(row.row_id) },
        ...{ operation: String(row.operation) as RowOperation, seenAt: String(row.seen_at) },
        seenAfter: row.seen_after === null ? null : String(row.seen_after),
        changed: JSON.parse(String(row.changed ?? '[]')),
        old: old && withDigits(table, old),
        new: newRow && withDigits(table, newRow),
      };
    }
    if (rows.length < batchRows) return;
    last = Number(rows.at(-1)?.sequence);
  }
}

function parseRow(json: unknown): StoredRow | undefined {
  return json === null || json === undefined ? undefined : JSON.parse(String(json));
}

/** Returns the row after each change, by its number: the one before the next change of the row, else the current one. */
async function readRowsAfter(
  reader: Pick<Reader, 'read'>,
  rows: readonly StoredRow[],
): Promise<Map<number, StoredRow>> {
  const rowsAfter = new Map<number, StoredRow>();
  for (const [name, changes] of Map.groupBy(rows, (row) => String(row.table_name))) {
    const ids = [...new Set(changes.map((row) => String(row.row_id)))];
    const first = Number(changes[0]?.sequence);
    const laterRows = await reader.read(
      sql`SELECT row_id, sequence, old_row FROM ${identifier(changesTable.name)}
        WHERE table_name = ${name} AND row_id IN ${ids} AND sequence > ${first} ORDER BY sequence`,
    );
    const later = Map.groupBy(laterRows, (row) => String(row.row_id));
    const currentRows = await reader.read(
      sql`SELECT * FROM ${identifier(name)} WHERE ${identifier(idColumn)} IN ${ids}`,
    );
    const current = new Map(currentRows.map((row) => [String(row[idColumn]), row]));
    for (const { row_id: id, sequence } of changes) {
      const next = later.get(String(id))?.find((row) => Number(row.sequence) > Number(sequence));
      const row = next ? parseRow(next.old_row) : current.get(String(id));
      if (row) rowsAfter.set(Number(sequence), row);
    }
  }
  return rowsAfter;
}

/** Returns the number of the last change that the mirror has logged, 0 if there is none. */
export async function lastSequence(reader: Pick<Reader, 'read'>): Promise<number> {
  const [row] = await reader.read(
    sql`SELECT sequence FROM ${identifier(changesTable.name)} ORDER BY sequence DESC LIMIT 1`,
  );
  return Number(row?.sequence ?? 0);
}

/** Returns a change as an object for other programs: rows with all columns, decimal numbers as digits. */
export function streamedChange({ mirrored, table, old, new: row, ...change }: RowChange) {
  const columns = table.columns.filter(({ name }) => name !== readingColumn);
  const cells = (stored: StoredRow | undefined) =>
    stored ? Object.fromEntries(columns.map(({ name }) => [name, stored[name] ?? null])) : null;
  return {
    sequence: change.sequence,
    table: table.name,
    operation: change.operation,
    key: change.rowId,
    ...{ resource: mirrored.resource.name, record_id: change.recordId },
    ...{ seen_after: change.seenAfter, seen_at: change.seenAt, changed: change.changed },
    ...{ old: cells(old), new: cells(row) },
  };
}
