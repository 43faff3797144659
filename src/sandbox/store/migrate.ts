/**
 * Migrates the tables of a file to the schema of the current contract, without losing records, links or values. Tables
 * and columns that the contract no longer has are kept, for other versions of boh.
 */
import type { Database } from '../../storage/database.ts';
import { quoteName } from '../../storage/quote-name.ts';
import type { ColumnSchema, Schema, SchemaObject, TableSchema } from './schema.ts';

/** Migrates the tables, inside the caller's transaction. In an empty file, all tables are created. */
export function migrateTables(database: Database, schema: Schema): void {
  const tables = new Set(schema.tables.map(({ name }) => name));
  // Triggers are dropped first, so that moved rows aren't counted.
  dropChanged(database, 'trigger', schema.triggers, tables);
  dropChanged(database, 'index', schema.indexes, tables);
  for (const table of schema.tables) migrateTable(database, table);
  createMissing(database, 'index', schema.indexes);
  createMissing(database, 'trigger', schema.triggers);
  for (const { name, columns, isSoftDeleted } of schema.countedTables) {
    const hasColumn = (columnName: string) => columns.some((column) => column.name === columnName);
    if (hasColumn('created_at') && hasColumn('updated_at')) setCreationTime(database, name);
    recount(database, name, isSoftDeleted);
  }
}

type SchemaKind = 'index' | 'trigger';

/** Drops indexes or triggers of the contract's tables that are no longer needed or have changed. */
function dropChanged(
  database: Database,
  kind: SchemaKind,
  definitions: readonly SchemaObject[],
  tables: ReadonlySet<string>,
): void {
  const sqlByName = new Map(definitions.map(({ name, sql }) => [name, sql]));
  const existingObjects = database.all(
    'SELECT name, sql, tbl_name FROM sqlite_schema WHERE type = ? AND sql IS NOT NULL',
    kind,
  );
  for (const { name, sql, tbl_name } of existingObjects) {
    if (tables.has(String(tbl_name)) && sqlByName.get(String(name)) !== sql) {
      database.script(`DROP ${kind} ${quoteName(String(name))}`);
    }
  }
}

function createMissing(database: Database, kind: SchemaKind, definitions: readonly SchemaObject[]): void {
  const rows = database.all('SELECT name FROM sqlite_schema WHERE type = ?', kind);
  const existingNames = new Set(rows.map(({ name }) => String(name)));
  for (const { name, sql } of definitions) {
    if (!existingNames.has(name)) database.script(sql);
  }
}

function migrateTable(database: Database, table: TableSchema): void {
  const existingColumns = new Map(
    database
      .all('SELECT name, type FROM pragma_table_info(?)', table.name)
      .map(({ name, type }) => [String(name), String(type)]),
  );
  const isChanged = table.columns.some(
    ({ name, type }) => existingColumns.has(name) && existingColumns.get(name) !== type,
  );
  if (existingColumns.size === 0) database.script(createStatement(table, table.name, table.columns));
  else if (isChanged) rebuildTable(database, table, existingColumns);
  else
    for (const column of table.columns)
      if (!existingColumns.has(column.name)) addColumn(database, table, column);
}

function addColumn(database: Database, table: TableSchema, column: ColumnSchema): void {
  const { name, type } = column;
  const definition = `${quoteName(name)} ${type} DEFAULT ${initialValue(column)}`;
  database.script(`ALTER TABLE ${quoteName(table.name)} ADD COLUMN ${definition}`);
}

/** Moves the rows to a new table, because SQLite can't change the type of a column. */
function rebuildTable(
  database: Database,
  table: TableSchema,
  existingColumns: ReadonlyMap<string, string>,
): void {
  const schemaColumns = new Set([...table.fixed.map(columnName), ...table.columns.map(({ name }) => name)]);
  const extraColumns = [...existingColumns].filter(([name]) => !schemaColumns.has(name));
  const columns = [
    ...table.columns,
    ...extraColumns.map(([name, type]) => ({ name, type, initial: null, isJson: false })),
  ];
  const draft = `${table.name} (new)`;
  database.script(createStatement(table, draft, columns));
  const pairs = [
    ...table.fixed.map((definition) => [columnName(definition), columnName(definition)]),
    ...columns.map((column) => [
      quoteName(column.name),
      existingColumns.has(column.name) ? copiedValue(column) : initialValue(column),
    ]),
  ];
  database.script(
    `INSERT INTO ${quoteName(draft)} (${pairs.map(([name]) => name).join(', ')})
     SELECT ${pairs.map(([, value]) => value).join(', ')} FROM ${quoteName(table.name)};
     DROP TABLE ${quoteName(table.name)};
     ALTER TABLE ${quoteName(draft)} RENAME TO ${quoteName(table.name)}`,
  );
}

/** Returns the expression for a copied value. Text in a column that becomes JSON is dropped unless it is valid JSON. */
function copiedValue({ name, isJson }: ColumnSchema): string {
  return isJson ? `CASE WHEN json_valid(${quoteName(name)}) THEN ${quoteName(name)} END` : quoteName(name);
}

/** Returns the expression for the initial value of a column: a number or NULL. */
function initialValue({ initial }: ColumnSchema): string {
  return initial === null ? 'NULL' : String(initial);
}

function createStatement(
  { fixed, key, options }: TableSchema,
  name: string,
  columns: readonly ColumnSchema[],
): string {
  const fields = columns.map((column) => `${quoteName(column.name)} ${column.type}`.trim());
  const parts = [...fixed, ...fields, ...(key === '' ? [] : [key])];
  return `CREATE TABLE ${quoteName(name)} (${parts.join(', ')}) ${options}`.trim();
}

function columnName(definition: string): string {
  return definition.slice(0, definition.indexOf(' '));
}

/** Sets the timestamps of records that were added before their table had them: those of the business. */
function setCreationTime(database: Database, name: string): void {
  database.run(
    `UPDATE ${quoteName(name)} SET created_at = business.time, updated_at = business.time
     FROM (SELECT value ->> 'created_at' AS time FROM sandbox_facts WHERE name = 'business') business
     WHERE created_at IS NULL`,
  );
}

function recount(database: Database, name: string, isSoftDeleted: boolean): void {
  const deletedSql = isSoftDeleted ? 'count(deleted_at)' : '0';
  database.run(
    `INSERT OR REPLACE INTO sandbox_counts (name, active, deleted)
     SELECT ?, count(*) - ${deletedSql}, ${deletedSql} FROM ${quoteName(name)}`,
    name,
  );
}
