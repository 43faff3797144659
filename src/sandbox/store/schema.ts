/** What the contract asks of a database, as data: the tables of its records, their indexes, and what counts them. */
import { createHash } from 'node:crypto';
import type { Match } from '../../contract/filter.ts';
import { kinds } from '../kinds.ts';
import type { Cell } from './cells.ts';
import { quoted } from './quoted.ts';
import { type Column, type LinkTable, linkTables, parentColumn, type Table } from './tables.ts';
import { searchedColumns } from './text-index.ts';

export interface Schema {
  tables: readonly TableForm[];
  indexes: readonly Definition[];
  triggers: readonly Definition[];
  /** The tables whose rows are counted, and what tells their deleted rows. */
  counted: readonly Table[];
  /** The columns whose text is searched by its parts. */
  searched: readonly { table: string; column: string }[];
}

export interface TableForm {
  name: string;
  /** Those that every version has. */
  fixed: readonly string[];
  columns: readonly ColumnForm[];
  /** Behind the columns, and behind the brackets. */
  key: string;
  options: string;
}

export interface ColumnForm {
  name: string;
  /** As SQLite calls it; empty for a column that changes neither numbers nor text. */
  type: string;
  /** What rows hold there that are older than the column. */
  initial: Cell;
  /** Whether its text is JSON. */
  isJson: boolean;
}

/** An index or a trigger. */
export interface Definition {
  name: string;
  table: string;
  sql: string;
}

export function schemaOf(tables: readonly Table[]): Schema {
  const links = linkTables(tables);
  return {
    tables: [...tables.map(tableForm), ...links.map(linkTableForm)],
    indexes: [...tables.flatMap(indexes), ...links.map(linkIndex), ...ripening(tables)],
    triggers: tables.flatMap(counters),
    counted: tables,
    searched: tables.flatMap((table) =>
      searchedColumns(table).map((column) => ({ table: table.name, column: column.name })),
    ),
  };
}

/** Differs as soon as the contract asks for something else. */
export function markOf({ tables, indexes, triggers, searched }: Schema): string {
  const all = JSON.stringify([tables, indexes, triggers, searched]);
  return createHash('sha256').update(all).digest('base64url').slice(0, 16);
}

/** `seq` is the order of creation, in which lists come. */
function tableForm({ name, columns }: Table): TableForm {
  return {
    name,
    fixed: ['seq INTEGER PRIMARY KEY', 'id TEXT NOT NULL UNIQUE'],
    columns: columns.filter((column) => column.name !== 'id').map(columnForm),
    key: '',
    options: '',
  };
}

/** `from_seq` lets a list that is filtered by a link come in its order straight from the index. */
function linkTableForm({ name, pivot }: LinkTable): TableForm {
  return {
    name,
    fixed: [
      'from_id TEXT NOT NULL',
      'to_id TEXT NOT NULL',
      'from_seq INTEGER NOT NULL',
      'position INTEGER NOT NULL',
    ],
    columns: pivot.map(columnForm),
    key: 'PRIMARY KEY (from_id, to_id)',
    options: 'WITHOUT ROWID',
  };
}

function linkIndex({ name }: LinkTable): Definition {
  return indexOn(name, 'to', 'to_id, from_seq');
}

function columnForm({ name, field, initial }: Column): ColumnForm {
  const { column, isJson } = kinds[field.kind];
  return { name, type: column, initial, isJson };
}

const ranges: readonly Match[] = ['after', 'before', 'on_day'];

/**
 * One index for each column that lists are filtered or sorted by, or that other records are found by.
 * `deleted_at` stands in each, since most lists ask for active records: after an equality it
 * narrows further, before a range it leaves the order intact.
 */
function indexes({ name, columns, filters, isSoftDeleted }: Table): Definition[] {
  return columns.flatMap((column) => {
    const matches = filters.filter(({ on }) => on === column.fieldName).map(({ match }) => match);
    const { unique, sortable } = column.field.traits;
    const isRanged =
      sortable || column.name === 'deleted_at' || matches.some((match) => ranges.includes(match));
    const isEqualled =
      unique ||
      kinds[column.field.kind].kept === 'id' ||
      column.name === parentColumn ||
      matches.includes('equals');
    if (column.name === 'id' || !(isRanged || isEqualled)) return [];
    const own = quoted(column.name);
    const activity = isSoftDeleted && column.name !== 'deleted_at' ? ['deleted_at'] : [];
    const index = indexOn(name, column.name, (isRanged ? [...activity, own] : [own, ...activity]).join(', '));
    // Those who keep a copy ask for what has changed, deleted records included.
    const isWalked = isRanged && activity.length > 0;
    return isWalked ? [index, indexOn(name, `${column.name}_of_all`, own)] : [index];
  });
}

/** Looked at before each request: which savings begin to count. */
function ripening(tables: readonly Table[]): Definition[] {
  const table = 'loyalty_transactions';
  if (!tables.some(({ name }) => name === table)) return [];
  const sql = `CREATE INDEX sandbox_ripening ON ${table} (redeemable_at) WHERE is_redeemed = 0`;
  return [{ name: 'sandbox_ripening', table, sql }];
}

function indexOn(table: string, title: string, columns: string): Definition {
  const name = `${table}_${title}`;
  return { name, table, sql: `CREATE INDEX ${quoted(name)} ON ${quoted(table)} (${columns})` };
}

/** Counts kept as rows come and go: counting a million rows for each page of a list would take too long. */
function counters({ name, isSoftDeleted }: Table): Definition[] {
  const active = (row: string) => (isSoftDeleted ? `(${row}.deleted_at IS NULL)` : '1');
  const deleted = (row: string) => (isSoftDeleted ? `(${row}.deleted_at IS NOT NULL)` : '0');
  const trigger = (title: string, when: string, more: string, fewer: string): Definition => ({
    name: `${name}_${title}`,
    table: name,
    sql: `CREATE TRIGGER ${quoted(`${name}_${title}`)} AFTER ${when} ON ${quoted(name)} BEGIN
      UPDATE sandbox_counts SET active = active + ${more}, deleted = deleted + ${fewer} WHERE name = '${name}';
    END`,
  });
  const change = (of: typeof active) => `${of('NEW')} - ${of('OLD')}`;
  return [
    trigger('added', 'INSERT', active('NEW'), deleted('NEW')),
    trigger('removed', 'DELETE', `-${active('OLD')}`, `-${deleted('OLD')}`),
    ...(isSoftDeleted ? [trigger('deleted', 'UPDATE OF deleted_at', change(active), change(deleted))] : []),
  ];
}
