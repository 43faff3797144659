/** Reads and writes single rows of tables, and the links between records: in link tables, or in columns of the other table. */
import type { Database, StoredRow } from '../../base/storage/database.ts';
import { parseJsonCell, type ShapeCheck } from '../../base/storage/json-cell.ts';
import { quoteName } from '../../base/storage/quote-name.ts';
import type { Cells } from '../kinds.ts';
import { positionColumn, type Relation, type Table } from './tables.ts';

export function findRow(database: Database, table: Table, id: string): StoredRow | undefined {
  return database.get(`SELECT * FROM ${quoteName(table.name)} WHERE id = ?`, id);
}

/** Returns the rows with some IDs, including deleted records. */
export function findRows(database: Database, table: Table, ids: readonly string[]): StoredRow[] {
  const sql = `SELECT * FROM ${quoteName(table.name)} WHERE id IN (SELECT value FROM json_each(?))`;
  return database.all(sql, JSON.stringify(ids));
}

export function insertRow(database: Database, table: Table, cells: Cells): void {
  const allCells = Object.fromEntries(
    table.columns.map(({ name, initial }) => [name, cells[name] ?? initial]),
  );
  insert(database, table.name, allCells);
}

function insert(database: Database, table: string, cells: Cells, end = ''): void {
  const names = Object.keys(cells).map(quoteName);
  database.run(
    `INSERT INTO ${quoteName(table)} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})${end}`,
    ...Object.values(cells),
  );
}

/** Changes some cells of a row. */
export function updateRow(database: Database, table: Table, id: string, cells: Cells): void {
  const names = Object.keys(cells);
  if (names.length === 0) return;
  const set = names.map((name) => `${quoteName(name)} = ?`).join(', ');
  database.run(`UPDATE ${quoteName(table.name)} SET ${set} WHERE id = ?`, ...Object.values(cells), id);
}

export function removeRow(database: Database, table: Table, id: string): void {
  for (const relation of table.relations) {
    if (relation.kind === 'links') {
      database.run(`DELETE FROM ${quoteName(relation.table.name)} WHERE ${relation.recordColumn} = ?`, id);
    }
  }
  database.run(`DELETE FROM ${quoteName(table.name)} WHERE id = ?`, id);
}

/** A relation that is stored in a link table. */
export type LinkRelation = Extract<Relation, { kind: 'links' }>;

export interface LinkedRecord {
  id: string;
  link: StoredRow;
}

/**
 * Returns the records that are linked to some records by a relation, in one query: in the order of the declaring resource,
 * or of creation. Deleted records are omitted, except in the lines of a stock document, which don't change.
 */
export function linkedRecords(
  database: Database,
  relation: Relation,
  ids: readonly string[],
): Map<string, LinkedRecord[]> {
  const { target, kind } = relation;
  // Required relations are the lines of a stock document.
  const isLine = relation.field.traits.required === true;
  const activeCondition = target.isSoftDeleted && !isLine ? ' AND t.deleted_at IS NULL' : '';
  const targetTable = `${quoteName(target.name)} t`;
  // CROSS JOIN makes SQLite start with the IDs, independent of the sizes of the tables.
  const [columns, join] =
    kind === 'links'
      ? [
          ', l.*',
          `${quoteName(relation.table.name)} l ON l.${relation.recordColumn} = o.value
           CROSS JOIN ${targetTable} ON t.id = l.${relation.targetColumn}`,
        ]
      : ['', `${targetTable} ON t.${quoteName(relation.column)} = o.value`];
  const isOrdered = kind === 'links' && relation.recordColumn === 'from_id';
  const order = isOrdered ? 'l.position, ' : kind === 'parts' ? `t.${positionColumn}, ` : '';
  const rows = database.all(
    `SELECT o.value AS owner, t.id AS linked${columns} FROM json_each(?) o
     CROSS JOIN ${join}${activeCondition} ORDER BY ${order}t.seq`,
    JSON.stringify([...new Set(ids)]),
  );
  const linkedById = new Map<string, LinkedRecord[]>(ids.map((id) => [id, []]));
  for (const row of rows) linkedById.get(String(row.owner))?.push({ id: String(row.linked), link: row });
  return linkedById;
}

export interface NewLink {
  id: string;
  pivot: Cells;
}

/**
 * Replaces the links of a record. Data of a link that isn't sent is kept. Returns the IDs of added and removed links.
 */
export function replaceLinks(
  database: Database,
  relation: LinkRelation,
  id: string,
  links: readonly NewLink[],
): string[] {
  const { table, recordColumn, targetColumn } = relation;
  const rows = database.all(
    `SELECT ${targetColumn} AS id FROM ${quoteName(table.name)} WHERE ${recordColumn} = ?`,
    id,
  );
  const oldIds = new Set(rows.map((row) => String(row.id)));
  const newIds = new Set(links.map((link) => link.id));
  const removedIds = [...oldIds].filter((otherId) => !newIds.has(otherId));
  for (const otherId of removedIds) removeLink(database, relation, id, otherId);
  for (const [position, link] of links.entries()) setLink(database, relation, id, link, position);
  return [...removedIds, ...[...newIds].filter((otherId) => !oldIds.has(otherId))];
}

/** Adds a link, or changes its data. Without a position, an existing link keeps its position and a new link is last. */
export function setLink(
  database: Database,
  relation: LinkRelation,
  id: string,
  { id: otherId, pivot }: NewLink,
  position?: number,
): void {
  const { table, recordColumn, targetColumn } = relation;
  const countSql = `SELECT count(*) AS count FROM ${quoteName(table.name)} WHERE ${recordColumn} = ?`;
  // Only the declaring resource orders links. A new link from the other side is last.
  const isOrdered = position !== undefined && recordColumn === 'from_id';
  const cells = {
    [recordColumn]: id,
    [targetColumn]: otherId,
    position: isOrdered ? position : Number(database.get(countSql, id)?.count),
    ...pivot,
  };
  const changes = [...Object.keys(pivot).map(quoteName), ...(isOrdered ? ['position'] : [])];
  const set = changes.map((name) => `${name} = excluded.${name}`).join(', ');
  insert(
    database,
    table.name,
    cells,
    ` ON CONFLICT (from_id, to_id) DO ${set === '' ? 'NOTHING' : `UPDATE SET ${set}`}`,
  );
}

export function removeLink(database: Database, relation: LinkRelation, id: string, otherId: string): boolean {
  const { table, recordColumn, targetColumn } = relation;
  return (
    database.run(
      `DELETE FROM ${quoteName(table.name)} WHERE ${recordColumn} = ? AND ${targetColumn} = ?`,
      id,
      otherId,
    ) > 0
  );
}

/** Replaces the records that refer to a record. `updated_at` of added and removed records is set to `timestamp`. */
export function replaceChildren(
  database: Database,
  { target, column }: Exclude<Relation, LinkRelation>,
  id: string,
  ids: readonly string[],
  timestamp: string,
): void {
  const [columnSql, tableSql] = [quoteName(column), quoteName(target.name)];
  const idList = '(SELECT value FROM json_each(?))';
  const idsJson = JSON.stringify(ids);
  const activeCondition = target.isSoftDeleted ? ' AND deleted_at IS NULL' : '';
  database.run(
    `UPDATE ${tableSql} SET ${columnSql} = NULL, updated_at = ? WHERE ${columnSql} = ? AND id NOT IN ${idList}${activeCondition}`,
    timestamp,
    id,
    idsJson,
  );
  database.run(
    `UPDATE ${tableSql} SET ${columnSql} = ?, updated_at = ? WHERE id IN ${idList} AND ${columnSql} IS NOT ?`,
    id,
    timestamp,
    idsJson,
    id,
  );
}

/**
 * Returns the stored value with a name; undefined if there is none. Throws a storage failure if it doesn't pass the
 * check.
 */
export function readStoredValue<T>(database: Database, name: string, check: ShapeCheck<T>): T | undefined {
  const row = database.get('SELECT value FROM sandbox_facts WHERE name = ?', name);
  return row && parseJsonCell(row.value, database, check);
}

/** Stores a value under a name, or replaces the stored value. */
export function writeStoredValue(database: Database, name: string, value: unknown): void {
  database.run(
    'INSERT INTO sandbox_facts (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    name,
    JSON.stringify(value),
  );
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isString(value: unknown): value is string {
  return typeof value === 'string';
}

/** Returns a check for arrays whose items all pass a check. */
export function isArrayOf<T>(isItem: ShapeCheck<T>): ShapeCheck<T[]> {
  return (value): value is T[] => Array.isArray(value) && value.every(isItem);
}
