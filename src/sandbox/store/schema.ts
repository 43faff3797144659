/**
 * Derives the database schema from the contract, as data, and adds to a file what it lacks: the API of a preset has more
 * fields and sorts. What only another preset has is kept.
 */
import { createHash } from 'node:crypto';
import type { Match } from '../../api/contract/filter.ts';
import type { Database } from '../../base/storage/database.ts';
import { quoteName } from '../../base/storage/quote-name.ts';
import { kinds } from '../kinds.ts';
import { type Column, type LinkTable, linkTables, parentColumn, type Table } from './tables.ts';

/** The schema of a sandbox's database. */
export interface Schema {
  tables: readonly TableSchema[];
  /** The statements that create the indexes, by name. */
  indexes: ReadonlyMap<string, string>;
}

interface TableSchema {
  name: string;
  /** The definitions of the columns that every contract has. */
  fixed: readonly string[];
  columns: readonly Column[];
  /** The clauses after the columns. */
  end: string;
}

export function schemaOf(tables: readonly Table[]): Schema {
  const links = linkTables(tables);
  return {
    tables: [...tables.map(tableSchema), ...links.map(linkTableSchema)],
    indexes: new Map([
      ...tables.flatMap(indexesOf),
      ...links.map(({ name }) => indexOn(name, 'to_id', 'to_id')),
    ]),
  };
}

export function fingerprintOf({ tables, indexes }: Schema): string {
  const columns = tables.map(({ name, columns }) => [name, columns.map(definitionOf)]);
  const json = JSON.stringify([columns, [...indexes]]);
  return createHash('sha256').update(json).digest('base64url').slice(0, 16);
}

/** Returns the schema of a table. `seq` is the order of creation, which is the default order of lists. */
function tableSchema({ name, columns }: Table): TableSchema {
  return {
    name,
    fixed: ['seq INTEGER PRIMARY KEY', 'id TEXT NOT NULL UNIQUE'],
    columns: columns.filter((column) => column.name !== 'id'),
    end: ')',
  };
}

function linkTableSchema({ name, pivot }: LinkTable): TableSchema {
  return {
    name,
    fixed: ['from_id TEXT NOT NULL', 'to_id TEXT NOT NULL', 'position INTEGER NOT NULL'],
    columns: pivot,
    end: ', PRIMARY KEY (from_id, to_id)) WITHOUT ROWID',
  };
}

const rangeMatches: readonly Match[] = ['after', 'before', 'on_day'];

/**
 * Returns the indexes of the columns that lists are filtered or sorted by, or that refer to other records. Each index
 * contains the time of deletion, because most lists return active records: after the column for equality, before it for
 * ranges and orders.
 */
function indexesOf({ name, columns, filters, isSoftDeleted }: Table): [name: string, sql: string][] {
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
    if (!isSoftDeleted || column.name === 'deleted_at') return [indexOn(name, column.name, columnSql)];
    if (!hasRange) return [indexOn(name, column.name, `${columnSql}, deleted_at`)];
    return [
      indexOn(name, column.name, `deleted_at, ${columnSql}`),
      // Clients that keep a copy request changed records, including deleted records.
      indexOn(name, `${column.name}_of_all`, columnSql),
    ];
  });
}

function indexOn(table: string, suffix: string, columns: string): [name: string, sql: string] {
  const name = `${table}_${suffix}`;
  return [name, `CREATE INDEX ${quoteName(name)} ON ${quoteName(table)} (${columns})`];
}

/** Updates the schema, inside the caller's transaction. In an empty file, all tables are created. */
export function updateSchema(database: Database, { tables, indexes }: Schema): void {
  for (const table of tables) updateTable(database, table);
  const existingIndexes = database.all("SELECT name, sql FROM sqlite_schema WHERE type = 'index'");
  const existingSql = new Map(existingIndexes.map(({ name, sql }) => [name, sql]));
  for (const [name, sql] of indexes)
    if (existingSql.get(name) !== sql) database.script(`DROP INDEX IF EXISTS ${quoteName(name)}; ${sql}`);
}

function updateTable(database: Database, { name, fixed, columns, end }: TableSchema): void {
  const existingColumns = database.all('SELECT name FROM pragma_table_info(?)', name).map((row) => row.name);
  if (existingColumns.length === 0) {
    database.script(
      `CREATE TABLE ${quoteName(name)} (${[...fixed, ...columns.map(definitionOf)].join(', ')}${end}`,
    );
    return;
  }
  const newColumns = columns.filter((column) => !existingColumns.includes(column.name));
  for (const column of newColumns) {
    const definition = `${definitionOf(column)} DEFAULT ${column.initial ?? 'NULL'}`;
    database.script(`ALTER TABLE ${quoteName(name)} ADD COLUMN ${definition}`);
  }
  const hasColumn = (columnName: string) => columns.some((column) => column.name === columnName);
  if (hasColumn('created_at') && hasColumn('updated_at')) setCreationTime(database, name);
}

/** Returns the definition of a column. SQLite's type is empty for a column that converts neither numbers nor text. */
function definitionOf({ name, field }: Column): string {
  return `${quoteName(name)} ${kinds[field.kind].sqlType}`;
}

/** Sets the timestamps of records that were added before their table had them: those of the business. */
function setCreationTime(database: Database, name: string): void {
  database.run(
    `UPDATE ${quoteName(name)} SET created_at = business.time, updated_at = business.time
     FROM (SELECT value ->> 'created_at' AS time FROM sandbox_facts WHERE name = 'business') business
     WHERE created_at IS NULL`,
  );
}
