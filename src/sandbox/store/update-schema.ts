/**
 * Adds what a file lacks of the schema of the API in use, without losing records: the API of a preset has more fields and
 * sorts. What only another preset has is kept.
 */
import type { Database } from '../../storage/database.ts';
import { quoteName } from '../../storage/quote-name.ts';
import type { ColumnSchema, Schema, TableSchema } from './schema.ts';

/** Updates the schema, inside the caller's transaction. In an empty file, all tables are created. */
export function updateSchema(database: Database, schema: Schema): void {
  for (const table of schema.tables) updateTable(database, table);
  const existingObjects = database.all('SELECT name, sql FROM sqlite_schema');
  const existingSql = new Map(existingObjects.map(({ name, sql }) => [name, sql]));
  for (const kind of ['INDEX', 'TRIGGER'] as const) {
    for (const { name, sql } of kind === 'INDEX' ? schema.indexes : schema.triggers)
      if (existingSql.get(name) !== sql) database.script(`DROP ${kind} IF EXISTS ${quoteName(name)}; ${sql}`);
  }
  for (const { name, columns, isSoftDeleted } of schema.countedTables) {
    const hasColumn = (columnName: string) => columns.some((column) => column.name === columnName);
    if (hasColumn('created_at') && hasColumn('updated_at')) setCreationTime(database, name);
    recount(database, name, isSoftDeleted);
  }
}

function updateTable(database: Database, { name, fixed, columns, key, options }: TableSchema): void {
  const existingColumns = database.all('SELECT name FROM pragma_table_info(?)', name).map((row) => row.name);
  if (existingColumns.length === 0) {
    const fields = columns.map((column) => `${quoteName(column.name)} ${column.type}`);
    const parts = [...fixed, ...fields, ...(key === '' ? [] : [key])];
    database.script(`CREATE TABLE ${quoteName(name)} (${parts.join(', ')}) ${options}`);
  } else
    for (const column of columns)
      if (!existingColumns.includes(column.name)) addColumn(database, name, column);
}

function addColumn(database: Database, table: string, { name, type, initial }: ColumnSchema): void {
  const definition = `${quoteName(name)} ${type} DEFAULT ${initial ?? 'NULL'}`;
  database.script(`ALTER TABLE ${quoteName(table)} ADD COLUMN ${definition}`);
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
