/** The SQL that makes an empty sandbox. */
import type { Match } from '../../contract/filter.ts';
import { columnType } from './cells.ts';
import { ownTables } from './own-tables.ts';
import { quoted } from './quoted.ts';
import type { Column, LinkTable, Table, Tables } from './tables.ts';
import { linkTables, parentColumn } from './tables.ts';

export function schema(tables: Tables): string {
  const { all } = tables;
  const statements = [
    ...all.flatMap((table) => [tableSql(table), ...indexesSql(table)]),
    ...linkTables(tables).flatMap(linkTableSql),
    ...ownTables(tables),
    ...all.flatMap(countSql),
  ];
  return statements.join(';\n');
}

/** `seq` is the order of creation, in which lists come. */
function tableSql({ name, columns }: Table): string {
  const fields = columns.filter((column) => column.name !== 'id').map(columnSql);
  const parts = ['seq INTEGER PRIMARY KEY', 'id TEXT NOT NULL UNIQUE', ...fields];
  return `CREATE TABLE ${quoted(name)} (${parts.join(', ')})`;
}

/** `from_seq` lets a list that is filtered by a link come in its order straight from the index. */
function linkTableSql({ name, pivot }: LinkTable): string[] {
  const parts = [
    'from_id TEXT NOT NULL',
    'to_id TEXT NOT NULL',
    'from_seq INTEGER NOT NULL',
    'position INTEGER NOT NULL',
    ...pivot.map(columnSql),
    'PRIMARY KEY (from_id, to_id)',
  ];
  return [
    `CREATE TABLE ${quoted(name)} (${parts.join(', ')}) WITHOUT ROWID`,
    `CREATE INDEX ${quoted(`${name}_to`)} ON ${quoted(name)} (to_id, from_seq)`,
  ];
}

function columnSql({ name, field }: Column): string {
  return `${quoted(name)} ${columnType(field)}`.trim();
}

const ranges: readonly Match[] = ['after', 'before', 'on_day'];

/**
 * One index for each column that lists are filtered or sorted by, or that other records are found by.
 * `deleted_at` stands in each, since every list asks for active or for deleted records: after an equality it
 * narrows further, before a range it leaves the order intact.
 */
function indexesSql({ name, columns, filters, isSoftDeleted }: Table): string[] {
  return columns.flatMap((column) => {
    const matches = filters.filter(({ on }) => on === column.fieldName).map(({ match }) => match);
    const { unique, sortable } = column.field.traits;
    const isRanged =
      sortable || column.name === 'deleted_at' || matches.some((match) => ranges.includes(match));
    const isEqualled =
      unique || column.field.kind === 'one' || column.name === parentColumn || matches.includes('equals');
    if (column.name === 'id' || !(isRanged || isEqualled)) return [];
    const own = quoted(column.name);
    const activity = isSoftDeleted && column.name !== 'deleted_at' ? ['deleted_at'] : [];
    const parts = isRanged ? [...activity, own] : [own, ...activity];
    return [`CREATE INDEX ${quoted(`${name}_${column.name}`)} ON ${quoted(name)} (${parts.join(', ')})`];
  });
}

/** Counts kept as rows come and go: counting a million rows for each page of a list would take too long. */
function countSql({ name, isSoftDeleted }: Table): string[] {
  const active = (row: string) => (isSoftDeleted ? `(${row}.deleted_at IS NULL)` : '1');
  const deleted = (row: string) => (isSoftDeleted ? `(${row}.deleted_at IS NOT NULL)` : '0');
  const trigger = (title: string, when: string, more: string, fewer: string) => `
    CREATE TRIGGER ${quoted(`${name}_${title}`)} AFTER ${when} ON ${quoted(name)} BEGIN
      UPDATE sandbox_counts SET active = active + ${more}, deleted = deleted + ${fewer} WHERE name = '${name}';
    END`;
  const change = (of: typeof active) => `${of('NEW')} - ${of('OLD')}`;
  return [
    `INSERT INTO sandbox_counts VALUES ('${name}', 0, 0)`,
    trigger('added', 'INSERT', active('NEW'), deleted('NEW')),
    trigger('removed', 'DELETE', `-${active('OLD')}`, `-${deleted('OLD')}`),
    ...(isSoftDeleted ? [trigger('deleted', 'UPDATE OF deleted_at', change(active), change(deleted))] : []),
  ];
}
