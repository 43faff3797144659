/** Finds, adds, changes and removes single rows of a table. */
import type { Database } from '../../storage/database.ts';
import { quoteName } from '../../storage/quote-name.ts';
import type { Cells, StoredRow } from './cells.ts';
import type { Table } from './tables.ts';

/** Returns the row with an ID. */
export function findRow(database: Database, table: Table, id: string): StoredRow | undefined {
  return database.get(`SELECT * FROM ${quoteName(table.name)} WHERE id = ?`, id);
}

/** Returns the rows with some IDs, including deleted records. */
export function findRows(database: Database, table: Table, ids: readonly string[]): StoredRow[] {
  const sql = `SELECT * FROM ${quoteName(table.name)} WHERE id IN (SELECT value FROM json_each(?))`;
  return database.all(sql, JSON.stringify(ids));
}

/** Adds a row. */
export function insertRow(database: Database, table: Table, cells: Cells): void {
  const values = table.columns.map(({ name, initial }) => cells[name] ?? initial);
  database.run(insertStatement(table), ...values);
}

/** Returns the statement that adds a row. It is cached, because it is the same for all rows. */
function insertStatement(table: Table): string {
  const cachedSql = insertStatements.get(table);
  if (cachedSql !== undefined) return cachedSql;
  const names = table.columns.map(({ name }) => quoteName(name));
  const sql = `INSERT INTO ${quoteName(table.name)} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
  insertStatements.set(table, sql);
  return sql;
}

const insertStatements = new WeakMap<Table, string>();

/** Changes some cells of a row. */
export function updateRow(database: Database, table: Table, id: string, cells: Cells): void {
  const names = Object.keys(cells);
  if (names.length === 0) return;
  const set = names.map((name) => `${quoteName(name)} = ?`).join(', ');
  database.run(`UPDATE ${quoteName(table.name)} SET ${set} WHERE id = ?`, ...Object.values(cells), id);
}

/** Removes a row and all of its links. */
export function removeRow(database: Database, table: Table, id: string): void {
  for (const relation of table.relations) {
    if (relation.kind === 'links') {
      database.run(`DELETE FROM ${quoteName(relation.table.name)} WHERE ${relation.recordColumn} = ?`, id);
    }
  }
  database.run(`DELETE FROM ${quoteName(table.name)} WHERE id = ?`, id);
}
