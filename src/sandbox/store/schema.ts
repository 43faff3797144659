/**
 * Derives the database schema from the contract, as data: the tables of records, their indexes, and the triggers that
 * count rows.
 */
import { createHash } from 'node:crypto';
import type { Match } from '../../contract/filter.ts';
import { quoteName } from '../../storage/quote-name.ts';
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

/** The schema of a sandbox's database. */
export interface Schema {
  tables: readonly TableSchema[];
  indexes: readonly SchemaObject[];
  triggers: readonly SchemaObject[];
  /** The tables whose rows are counted. */
  countedTables: readonly Table[];
}

/** The schema of a table. */
export interface TableSchema {
  name: string;
  /** The definitions of the columns that every contract has. */
  fixed: readonly string[];
  columns: readonly ColumnSchema[];
  /** The clause after the columns, and the options after the parentheses. */
  key: string;
  options: string;
}

/** The schema of a column. */
export interface ColumnSchema {
  name: string;
  /** SQLite's type; empty for a column that converts neither numbers nor text. */
  type: string;
  /** The value of rows that are older than the column. */
  initial: Cell;
  /** Whether it contains JSON. */
  isJson: boolean;
}

/** An index or a trigger. */
export interface SchemaObject {
  name: string;
  sql: string;
}

/** Returns the schema for tables. */
export function schemaOf(tables: readonly Table[]): Schema {
  const links = linkTables(tables);
  return {
    tables: [...tables.map(tableSchema), ...links.map(linkTableSchema)],
    indexes: [
      ...tables.flatMap((table) => [...indexes(table), ...anyFilterIndexes(table)]),
      ...links.map(linkIndex),
      ...extraIndexes(tables),
    ],
    triggers: tables.flatMap(countTriggers),
    countedTables: tables,
  };
}

/** Returns a fingerprint that changes with the schema. */
export function fingerprintOf({ tables, indexes, triggers }: Schema): string {
  const json = JSON.stringify([tables, indexes, triggers]);
  return createHash('sha256').update(json).digest('base64url').slice(0, 16);
}

/** Returns the schema of a table. `seq` is the order of creation, which is the default order of lists. */
function tableSchema({ name, columns }: Table): TableSchema {
  return {
    name,
    fixed: ['seq INTEGER PRIMARY KEY', 'id TEXT NOT NULL UNIQUE'],
    columns: columns.filter((column) => column.name !== 'id').map(columnSchema),
    key: '',
    options: '',
  };
}

/** Returns the schema of a link table. With `from_seq`, its index returns the records of a list in order. */
function linkTableSchema({ name, pivot }: LinkTable): TableSchema {
  return {
    name,
    fixed: [
      'from_id TEXT NOT NULL',
      'to_id TEXT NOT NULL',
      'from_seq INTEGER NOT NULL',
      'position INTEGER NOT NULL',
    ],
    columns: pivot.map(columnSchema),
    key: 'PRIMARY KEY (from_id, to_id)',
    options: 'WITHOUT ROWID',
  };
}

function linkIndex({ name }: LinkTable): SchemaObject {
  return indexOn(name, 'to', 'to_id, from_seq');
}

function columnSchema({ name, field, initial }: Column): ColumnSchema {
  const { sqlType, isJson } = kinds[field.kind];
  return { name, type: sqlType, initial, isJson };
}

const rangeMatches: readonly Match[] = ['after', 'before', 'on_day'];

/**
 * Returns the indexes of the columns that lists are filtered or sorted by, or that refer to other records. Each index
 * contains the deletion state, because most lists return active records: after the column for equality, before it for
 * ranges and orders.
 */
function indexes({ name, columns, filters, isSoftDeleted }: Table): SchemaObject[] {
  return columns.flatMap((column) => {
    const matches = filters.filter(({ on }) => on === column.fieldName).map(({ match }) => match);
    const { unique, sortable } = column.field.traits;
    const hasRange =
      sortable || column.name === 'deleted_at' || matches.some((match) => rangeMatches.includes(match));
    const hasEquality =
      unique ||
      kinds[column.field.kind].storedAs === 'id' ||
      column.name === parentColumn ||
      matches.includes('equals');
    if (column.name === 'id' || !(hasRange || hasEquality)) return [];
    const columnSql = quoteName(column.name);
    const isStateIndexed = isSoftDeleted && column.name !== 'deleted_at';
    if (!isStateIndexed) return [indexOn(name, column.name, columnSql)];
    if (!hasRange) return [indexOn(name, column.name, `${columnSql}, ${activeExpression()}`)];
    return [
      indexOn(name, column.name, `deleted_at, ${columnSql}`),
      // Clients that keep a copy request changed records, including deleted records.
      indexOn(name, `${column.name}_of_all`, columnSql),
    ];
  });
}

/** Returns the expression for an active record, as in the indexes. `prefix` is the alias of its table, with a dot. */
export function activeExpression(prefix = ''): string {
  return `(${prefix}deleted_at IS NULL)`;
}

/** Returns the expression for a number greater than 0, as in the indexes. */
export function anyExpression(name: string): string {
  return `(ifnull(${name}, 0) > 0)`;
}

/** Returns the indexes for filters on any value or link, in the order of lists. */
function anyFilterIndexes(table: Table): SchemaObject[] {
  const fieldNames = table.filters.filter(({ match }) => match === 'any').map(({ on = '' }) => on);
  return fieldNames.flatMap((on) => {
    const column = columnOf(table, on);
    const relation = relationOf(table, on);
    if (column) {
      const parts = [
        anyExpression(quoteName(column.name)),
        ...(table.isSoftDeleted ? [activeExpression()] : []),
      ];
      return [indexOn(table.name, `any_${column.name}`, parts.join(', '))];
    }
    const isDeclaringEnd = relation?.kind === 'links' && relation.recordColumn === 'from_id';
    return isDeclaringEnd ? [indexOn(relation.table.name, 'from', 'from_seq')] : [];
  });
}

/** Returns indexes that aren't derived from the contract: for due changes, for the owner, and for filters of rules. */
function extraIndexes(tables: readonly Table[]): SchemaObject[] {
  const definitions = [
    // The first three are used before requests and for events.
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
      sql: `CREATE INDEX sandbox_with_${name} ON users ((ifnull(${name}, '') <> ''), ${activeExpression()})`,
    })),
    {
      name: 'sandbox_reference',
      table: 'tax_groups',
      columns: ['reference', 'deleted_at'],
      sql: `CREATE INDEX sandbox_reference ON tax_groups (reference, ${activeExpression()})`,
    },
  ];
  return definitions.flatMap(({ columns, ...definition }) => {
    const table = tables.find(({ name }) => name === definition.table);
    const hasColumn = (name: string) => table?.columns.some((column) => column.name === name);
    return columns.every(hasColumn) ? [definition] : [];
  });
}

function indexOn(table: string, suffix: string, columns: string): SchemaObject {
  const name = `${table}_${suffix}`;
  return { name, sql: `CREATE INDEX ${quoteName(name)} ON ${quoteName(table)} (${columns})` };
}

/** Returns triggers that update the stored counts, because counting all rows for each page would take too long. */
function countTriggers({ name, isSoftDeleted }: Table): SchemaObject[] {
  const activeCount = (row: string) => (isSoftDeleted ? `(${row}.deleted_at IS NULL)` : '1');
  const deletedCount = (row: string) => (isSoftDeleted ? `(${row}.deleted_at IS NOT NULL)` : '0');
  const trigger = (suffix: string, when: string, change: (countOf: typeof activeCount) => string) => ({
    name: `${name}_${suffix}`,
    sql: `CREATE TRIGGER ${quoteName(`${name}_${suffix}`)} AFTER ${when} ON ${quoteName(name)} BEGIN
      UPDATE sandbox_counts SET active = active + ${change(activeCount)}, deleted = deleted + ${change(deletedCount)} WHERE name = '${name}';
    END`,
  });
  const countChange = (countOf: typeof activeCount) => `${countOf('NEW')} - ${countOf('OLD')}`;
  return [
    trigger('added', 'INSERT', (countOf) => countOf('NEW')),
    trigger('removed', 'DELETE', (countOf) => `-${countOf('OLD')}`),
    ...(isSoftDeleted ? [trigger('deleted', 'UPDATE OF deleted_at', countChange)] : []),
  ];
}
