/** Defines the log of changes that syncs have seen, and the views of all versions of each row. */
import type { Dialect } from '../../../api/sql/sql.ts';
import { quoteName } from '../../../base/storage/quote-name.ts';
import { historyTable } from './history-tables.ts';
import { sqliteTable } from './numbers.ts';
import { type Column, idColumn, readingColumn, type Table } from './table.ts';

/** What changed a row: `delete` and `restore` are changes of `deleted_at`, and a row that was removed is gone. */
export type RowOperation = 'insert' | 'update' | 'delete' | 'restore' | 'remove';

/** The log: one row for each change of a row since the first complete sync of its list. */
export const changesTable: Table = {
  name: 'mirror_changes',
  about: 'Each change of a row that a sync has seen',
  columns: [
    { name: 'id', type: 'text', about: 'Its number as text' },
    {
      name: 'sequence',
      type: 'bigint',
      about: 'Its number: later changes have higher ones',
      isIndexed: true,
    },
    { name: 'resource', type: 'text', about: 'The resource of the list' },
    { name: 'record_id', type: 'text', about: 'The record that the row belongs to', isIndexed: true },
    { name: 'table_name', type: 'text', about: 'The table of the row', isIndexed: true },
    { name: 'row_id', type: 'text', about: 'The ID of the row', isIndexed: true },
    {
      name: 'operation',
      type: 'text',
      about: 'insert, update, delete (deleted_at was set), restore, or remove (the row is gone)',
    },
    {
      name: 'seen_after',
      type: 'timestamptz',
      about: 'Start of the last sync that saw the row before the change',
    },
    { name: 'seen_at', type: 'timestamptz', about: 'When a sync saw the change' },
    {
      name: 'changed',
      type: 'text',
      about: 'The changed columns: a JSON array; null if the row is new or gone',
    },
    { name: 'old_row', type: 'text', about: 'The row before the change, without nulls: a JSON object' },
  ],
};

/** Returns the name of the view with all versions of a table's rows. */
export function versionsName({ name }: Pick<Table, 'name'>): string {
  return `${name}_versions`;
}

/** Returns the columns of a table that have versions, as the engine stores them. */
export function versionedColumns(dialect: Dialect, table: Table): Column[] {
  const { columns } = dialect === 'sqlite' ? sqliteTable(table) : table;
  return columns.filter(({ name }) => name !== readingColumn);
}

/**
 * Returns the query of the view with all versions of a table's rows: earlier ones from the log, and the current row. The
 * first version of a row that the first sync found has no operation.
 */
export function versionsQuery(dialect: Dialect, table: Table): string {
  const columns = versionedColumns(dialect, table);
  const names = columns.map(({ name }) => quoteName(name));
  const first = `(SELECT versions_since FROM mirror_state WHERE id = '${table.resource}')`;
  // The write of boh's history that made the change, if the mirror includes the history.
  const by = `(SELECT coalesce(h.user_name, 'boh') FROM ${historyTable.name} h WHERE h.record_id = c.record_id AND h.resource = c.resource
      AND h.outcome = 'done' AND h.at >= c.seen_after AND h.at <= c.seen_at ORDER BY h.number DESC LIMIT 1)`;
  const log = `${changesTable.name} c WHERE c.table_name = '${table.name}'`;
  const row = dialect === 'sqlite' ? 'c.old_row' : 'c.old_row::jsonb';
  const window = 'OVER (PARTITION BY row_id ORDER BY sequence)';
  const before = (column: string) => `lag(${column}) ${window}`;
  return `SELECT ${columns.map((column) => `${oldCell(dialect, column)} AS ${quoteName(column.name)}`).join(', ')},
    coalesce(began_at, ${first}) AS _valid_from, seen_at AS _valid_to, began_by AS _operation, began_with AS _changed,
    began_user AS _by, coalesce(began, 0) AS _sequence
  FROM (SELECT row_id, old_row, seen_at, ${before('seen_at')} AS began_at, ${before('operation')} AS began_by,
    ${before('changed')} AS began_with, ${before('user_name')} AS began_user, ${before('sequence')} AS began
    FROM (SELECT c.row_id, c.sequence, c.seen_at, c.operation, c.changed, ${row} AS old_row, ${by} AS user_name
      FROM ${log}) logged) ended WHERE old_row IS NOT NULL
  UNION ALL
  SELECT ${names.map((name) => `t.${name}`).join(', ')}, coalesce(c.seen_at, ${first}), NULL, c.operation, c.changed,
    ${by}, coalesce(c.sequence, 0)
  FROM ${quoteName(table.name)} t
  LEFT JOIN (SELECT row_id, max(sequence) AS sequence FROM ${log} GROUP BY row_id) latest ON latest.row_id = t.id
  LEFT JOIN ${changesTable.name} c ON c.sequence = latest.sequence`;
}

/** Returns the SQL of a cell of an earlier row. */
function oldCell(dialect: Dialect, { name, type }: Column): string {
  if (name === idColumn) return 'row_id';
  if (dialect === 'sqlite') {
    const cell = `json_extract(old_row, '$."${name}"')`;
    const stored = type === 'numeric' ? 'real' : type === 'bigint' ? 'integer' : undefined;
    return stored ? `CAST(${cell} AS ${stored})` : cell;
  }
  const cell = `(old_row ->> '${name}')`;
  if (type === 'boolean') return `(${cell} = '1')`;
  if (type === 'timestamptz') return `CAST(${cell} || '+00' AS timestamptz)`;
  return type === 'text' ? cell : `CAST(${cell} AS ${type})`;
}
