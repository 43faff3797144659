/** Queries that several files need: the number of rows of a table, and their IDs. */
import { idColumn, type Table } from '../schema/table.ts';
import { name, type Sql, sql, where } from './sql.ts';
import type { Reader } from './store.ts';

/** Returns how many rows match all conditions. */
export async function countOf(
  reader: Pick<Reader, 'read'>,
  table: Pick<Table, 'name'>,
  ...conditions: Sql[]
): Promise<number> {
  const rows = await reader.read(sql`SELECT count(*) AS count FROM ${name(table.name)}${where(conditions)}`);
  return Number(rows[0]?.count ?? 0);
}

/** Returns the IDs of the rows that match the condition, up to `limit` if given. */
export async function idsOf(
  reader: Pick<Reader, 'read'>,
  table: Table,
  condition: Sql,
  limit?: number,
): Promise<string[]> {
  const all = sql`SELECT ${name(idColumn)} FROM ${name(table.name)} WHERE ${condition}`;
  const rows = await reader.read(limit === undefined ? all : sql`${all} LIMIT ${limit}`);
  return rows.map((row) => String(row[idColumn]));
}
