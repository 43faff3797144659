/** Reads and writes the links between records, in link tables or in columns of the other table. */
import type { Database } from '../../storage/database.ts';
import { quoteName } from '../../storage/quote-name.ts';
import type { Cell, Cells, StoredRow } from './cells.ts';
import { activeExpression } from './schema.ts';
import { positionColumn, type Relation } from './tables.ts';

/** A relation that is stored in a link table. */
export type LinkRelation = Extract<Relation, { kind: 'links' }>;

/** A linked record. */
export interface LinkedRecord {
  id: string;
  /** The row with the data of the link. */
  link: StoredRow;
}

/**
 * Returns the records that are linked to some records by a relation, in one query. Deleted records are omitted, except
 * in the lines of a stock document, which don't change.
 */
export function linkedRecords(
  database: Database,
  relation: Relation,
  ids: readonly string[],
): Map<string, LinkedRecord[]> {
  const linkedById = new Map<string, LinkedRecord[]>(ids.map((id) => [id, []]));
  const rows = database.all(linkQuery(relation), JSON.stringify([...linkedById.keys()]));
  for (const row of rows.sort(linkOrder(relation))) {
    linkedById.get(String(row.owner))?.push({ id: String(row.linked), link: row });
  }
  return linkedById;
}

/** Returns the query for a relation. It is cached, because it is the same for all records. */
function linkQuery(relation: Relation): string {
  const cachedSql = linkQueries.get(relation);
  if (cachedSql !== undefined) return cachedSql;
  const { target } = relation;
  // Required relations are the lines of a stock document.
  const isLine = relation.field.traits.required === true;
  const activeCondition = target.isSoftDeleted && !isLine ? ` AND ${activeExpression('t.')} = 1` : '';
  const targetTable = `${quoteName(target.name)} t`;
  const columns = 'o.value AS owner, t.id AS linked';
  // CROSS JOIN makes SQLite start with the IDs, independent of the sizes of the tables.
  const sql =
    relation.kind === 'links'
      ? `SELECT ${columns}, l.* FROM json_each(?) o
         CROSS JOIN ${quoteName(relation.table.name)} l ON l.${relation.recordColumn} = o.value
         CROSS JOIN ${targetTable} ON t.id = l.${relation.targetColumn}${activeCondition}`
      : `SELECT ${columns}, t.seq, ${positionSql(relation)} AS position FROM json_each(?) o
         CROSS JOIN ${targetTable} ON t.${quoteName(relation.column)} = o.value${activeCondition}`;
  linkQueries.set(relation, sql);
  return sql;
}

const linkQueries = new WeakMap<Relation, string>();

function positionSql({ kind }: Relation): string {
  return kind === 'parts' ? `t.${positionColumn}` : '0';
}

/** Returns a comparator of links: by their order in the declaring resource, or by creation. */
function linkOrder(relation: Relation): (a: StoredRow, b: StoredRow) => number {
  const isInverse = relation.kind === 'links' && relation.recordColumn === 'to_id';
  const orderColumn = isInverse ? 'from_seq' : 'position';
  return (a, b) =>
    Number(a[orderColumn] ?? 0) - Number(b[orderColumn] ?? 0) || Number(a.seq ?? 0) - Number(b.seq ?? 0);
}

/** A link to write. */
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

/** Adds a link, or changes its data. Without a position, an existing link keeps its position and a new link is last. */
export function setLink(
  database: Database,
  relation: LinkRelation,
  id: string,
  link: NewLink,
  position?: number,
): void {
  const { table, recordColumn, targetColumn } = relation;
  // Only the declaring resource orders links. A new link from the other side is last.
  const isOrdered = position !== undefined && recordColumn === 'from_id';
  const endPosition = `(SELECT count(*) FROM ${quoteName(table.name)} WHERE ${recordColumn} = ?)`;
  const values: [name: string, sql: string, cell: Cell][] = [
    [recordColumn, '?', id],
    [targetColumn, '?', link.id],
    [
      'from_seq',
      `(SELECT seq FROM ${quoteName(table.owner)} WHERE id = ?)`,
      recordColumn === 'from_id' ? id : link.id,
    ],
    isOrdered ? ['position', '?', position] : ['position', endPosition, id],
    ...Object.entries(link.pivot).map(([name, cell]): [string, string, Cell] => [quoteName(name), '?', cell]),
  ];
  const changes = [...Object.keys(link.pivot).map(quoteName), ...(isOrdered ? ['position'] : [])];
  const set = changes.map((name) => `${name} = excluded.${name}`).join(', ');
  database.run(
    `INSERT INTO ${quoteName(table.name)} (${values.map(([name]) => name).join(', ')})
     VALUES (${values.map(([, sql]) => sql).join(', ')})
     ON CONFLICT (from_id, to_id) DO ${set === '' ? 'NOTHING' : `UPDATE SET ${set}`}`,
    ...values.map(([, , cell]) => cell),
  );
}

/** Removes a link. Returns whether it existed. */
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
