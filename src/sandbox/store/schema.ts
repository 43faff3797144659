/** The SQL that makes an empty sandbox, and the marks by which its file is known. */
import { columnType } from './cells.ts';
import type { Column, LinkTable, Table } from './tables.ts';
import { linkTables, parentColumn, tables } from './tables.ts';
import { textIndexSql } from './text-index.ts';

/** "boh" and a number: SQLite keeps it in the file's header. */
export const applicationId = 0x626f6801;

/** Goes up when tables of the sandbox's own change; those of the contract are held against their SQL. */
export const schemaVersion = 1;

/** Quoted, as some of the document's names are words of SQL: `index`, `groups`, `order`. */
export function quoted(name: string): string {
  return `"${name}"`;
}

export function schema(): string {
  return [...tables.flatMap(tableSql), ...linkTables().flatMap(linkTableSql), ...ownSql].join(';\n');
}

/** What the API doesn't show. */
const ownSql = [
  'CREATE TABLE sandbox_facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID',
  'CREATE TABLE sandbox_counts (name TEXT PRIMARY KEY, active INTEGER NOT NULL, deleted INTEGER NOT NULL) WITHOUT ROWID',
  'CREATE TABLE sandbox_tokens (hash TEXT PRIMARY KEY, scopes TEXT NOT NULL, user_id TEXT NOT NULL, made_at TEXT NOT NULL) WITHOUT ROWID',
  'CREATE TABLE sandbox_codes (hash TEXT PRIMARY KEY, client_id TEXT NOT NULL, redirect_uri TEXT NOT NULL, scopes TEXT NOT NULL, made_at INTEGER NOT NULL, is_used INTEGER NOT NULL) WITHOUT ROWID',
  'CREATE TABLE sandbox_stock (place_id TEXT, item_id TEXT, quantity REAL NOT NULL, PRIMARY KEY (place_id, item_id)) WITHOUT ROWID',
  'CREATE TABLE sandbox_events (seq INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, type TEXT NOT NULL, branch_id TEXT NOT NULL, resource TEXT NOT NULL, record_id TEXT NOT NULL, users TEXT NOT NULL)',
  textIndexSql,
  // Looked at before each request.
  'CREATE INDEX sandbox_ripening ON loyalty_transactions (redeemable_at) WHERE is_redeemed = 0',
  ...tables.flatMap(countSql),
];

/** `seq` is the order of creation, in which lists come. */
function tableSql(table: Table): string[] {
  const columns = table.columns.filter(({ name }) => name !== 'id').map(columnSql);
  const parts = ['seq INTEGER PRIMARY KEY', 'id TEXT NOT NULL UNIQUE', ...columns];
  return [`CREATE TABLE ${quoted(table.name)} (${parts.join(', ')})`, ...indexes(table)];
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

/**
 * One index for each column that lists are filtered or sorted by, or that other records are found by.
 * `deleted_at` stands in each, since every list asks for active or for deleted records: after an equality it
 * narrows further, before a range it leaves the order intact.
 */
function indexes(table: Table): string[] {
  const { name, columns, filters, isSoftDeleted } = table;
  const index = (column: Column, inOrder: boolean) => {
    const own = quoted(column.name);
    const deletedAt = isSoftDeleted && column.name !== 'deleted_at' ? ['deleted_at'] : [];
    const parts = inOrder ? [...deletedAt, own] : [own, ...deletedAt];
    return `CREATE INDEX ${quoted(`${name}_${column.name}`)} ON ${quoted(name)} (${parts.join(', ')})`;
  };
  return columns.flatMap((column) => {
    if (column.name === 'id') return [];
    const matches = filters.filter(({ on }) => on === column.fieldName).map(({ match }) => match);
    const isOrdered =
      column.field.traits.sortable === true ||
      column.name === 'deleted_at' ||
      matches.some((match) => match === 'after' || match === 'before' || match === 'on_day');
    if (isOrdered) return [index(column, true)];
    const isLookedUp =
      column.field.traits.unique || column.field.kind === 'one' || column.name === parentColumn;
    return isLookedUp || matches.includes('equals') ? [index(column, false)] : [];
  });
}

/** Counts kept as rows come and go: counting a million rows for each page of a list would take too long. */
function countSql({ name, isSoftDeleted }: Table): string[] {
  const change = (active: string, deleted: string) =>
    `UPDATE sandbox_counts SET active = active + ${active}, deleted = deleted + ${deleted} WHERE name = '${name}'`;
  const trigger = (when: string, what: string) =>
    `CREATE TRIGGER ${quoted(`${name}_${when.slice(0, 6).toLowerCase()}`)} AFTER ${when} ON ${quoted(name)} BEGIN ${what}; END`;
  const isActive = (row: string) => (isSoftDeleted ? `(${row}.deleted_at IS NULL)` : '1');
  const isDeleted = (row: string) => (isSoftDeleted ? `(${row}.deleted_at IS NOT NULL)` : '0');
  return [
    `INSERT INTO sandbox_counts VALUES ('${name}', 0, 0)`,
    trigger('INSERT', change(isActive('NEW'), isDeleted('NEW'))),
    trigger('DELETE', change(`-${isActive('OLD')}`, `-${isDeleted('OLD')}`)),
    ...(isSoftDeleted
      ? [
          trigger(
            'UPDATE OF deleted_at',
            change(`${isActive('NEW')} - ${isActive('OLD')}`, `${isDeleted('NEW')} - ${isDeleted('OLD')}`),
          ),
        ]
      : []),
  ];
}
