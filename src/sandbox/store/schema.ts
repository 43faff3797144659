/** What the contract asks of a database, as data: the tables of its records, their indexes, and what counts them. */
import { createHash } from 'node:crypto';
import type { Match } from '../../contract/filter.ts';
import { quoted } from '../../storage/quoted.ts';
import { kinds } from '../kinds.ts';
import type { Cell } from './cells.ts';
import {
  type Column,
  columnOf,
  type LinkTable,
  linkTables,
  parentColumn,
  relationOf,
  type Table,
} from './tables.ts';
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
    indexes: [
      ...tables.flatMap((table) => [...indexes(table), ...anyIndexes(table)]),
      ...links.map(linkIndex),
      ...ownIndexes(tables),
    ],
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
 * The state of a record stands in each, since most lists ask for active ones: after an equality it narrows further,
 * before a range `deleted_at` leaves the order intact.
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
    const hasStates = isSoftDeleted && column.name !== 'deleted_at';
    if (!hasStates) return [indexOn(name, column.name, own)];
    if (!isRanged) return [indexOn(name, column.name, `${own}, ${isActive()}`)];
    return [
      indexOn(name, column.name, `deleted_at, ${own}`),
      // Those who keep a copy ask for what has changed, deleted records included.
      indexOn(name, `${column.name}_of_all`, own),
    ];
  });
}

/** Whether a record is not deleted, as indexes have it: in the order of creation either way. `of` names its row. */
export function isActive(of = ''): string {
  return `(${of}deleted_at IS NULL)`;
}

/** Whether there is any: of a number, as the index on it has it. */
export function isAny(name: string): string {
  return `(ifnull(${name}, 0) > 0)`;
}

/** For filters that ask whether there is anything at all, each in the order of the list. */
function anyIndexes(table: Table): Definition[] {
  const asked = table.filters.filter(({ match }) => match === 'any').map(({ on = '' }) => on);
  return asked.flatMap((on) => {
    const column = columnOf(table, on);
    const relation = relationOf(table, on);
    if (column) {
      const parts = [isAny(quoted(column.name)), ...(table.isSoftDeleted ? [isActive()] : [])];
      return [indexOn(table.name, `any_${column.name}`, parts.join(', '))];
    }
    const isOwn = relation?.kind === 'links' && relation.near === 'from_id';
    return isOwn ? [indexOn(relation.table.name, 'from', 'from_seq')] : [];
  });
}

/** What follows from no single field of the contract: what time brings, who the owner is, what rules filter by. */
function ownIndexes(tables: readonly Table[]): Definition[] {
  const wanted = [
    // Looked at before each request, and with each event.
    {
      name: 'sandbox_ripening',
      table: 'loyalty_transactions',
      columns: ['redeemable_at', 'is_redeemed'],
      sql: 'CREATE INDEX sandbox_ripening ON loyalty_transactions (redeemable_at) WHERE is_redeemed = 0',
    },
    {
      name: 'sandbox_owner',
      table: 'users',
      columns: ['is_owner'],
      sql: 'CREATE INDEX sandbox_owner ON users (is_owner) WHERE is_owner = 1',
    },
    {
      name: 'sandbox_subscribers',
      table: 'users',
      columns: ['deleted_at', 'notifications'],
      sql: "CREATE INDEX sandbox_subscribers ON users (deleted_at) WHERE notifications <> '[]'",
    },
    ...['pin', 'email'].map((name) => ({
      name: `sandbox_with_${name}`,
      table: 'users',
      columns: [name, 'deleted_at'],
      sql: `CREATE INDEX sandbox_with_${name} ON users ((ifnull(${name}, '') <> ''), ${isActive()})`,
    })),
    {
      name: 'sandbox_reference',
      table: 'tax_groups',
      columns: ['reference', 'deleted_at'],
      sql: `CREATE INDEX sandbox_reference ON tax_groups (reference, ${isActive()})`,
    },
  ];
  return wanted.flatMap(({ columns, ...definition }) => {
    const table = tables.find(({ name }) => name === definition.table);
    const has = (name: string) => table?.columns.some((column) => column.name === name);
    return columns.every(has) ? [definition] : [];
  });
}

function indexOn(table: string, title: string, columns: string): Definition {
  const name = `${table}_${title}`;
  return { name, table, sql: `CREATE INDEX ${quoted(name)} ON ${quoted(table)} (${columns})` };
}

/** Counts kept as rows come and go: counting a million rows for each page of a list would take too long. */
function counters({ name, isSoftDeleted }: Table): Definition[] {
  const active = (row: string) => (isSoftDeleted ? `(${row}.deleted_at IS NULL)` : '1');
  const deleted = (row: string) => (isSoftDeleted ? `(${row}.deleted_at IS NOT NULL)` : '0');
  const trigger = (
    title: string,
    when: string,
    row: 'NEW' | 'OLD',
    of: (counted: typeof active) => string,
  ) => ({
    name: `${name}_${title}`,
    table: name,
    sql: `CREATE TRIGGER ${quoted(`${name}_${title}`)} AFTER ${when} ON ${quoted(name)} BEGIN
      INSERT INTO sandbox_moves VALUES ('${name}', ${row}.seq, ${of(active)}, ${of(deleted)});
    END`,
  });
  return [
    trigger('added', 'INSERT', 'NEW', (counted) => counted('NEW')),
    trigger('removed', 'DELETE', 'OLD', (counted) => `-${counted('OLD')}`),
    ...(isSoftDeleted
      ? [
          trigger(
            'deleted',
            'UPDATE OF deleted_at',
            'NEW',
            (counted) => `${counted('NEW')} - ${counted('OLD')}`,
          ),
        ]
      : []),
  ];
}
