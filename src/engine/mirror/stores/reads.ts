/** Runs queries that several modules need: the number of rows of a table, and their IDs. */

import { identifier, type Sql, sql, where } from '../../../api/sql/sql.ts';
import { idColumn, type Table } from '../schema/table.ts';
import type { Reader } from './store.ts';

export async function countRows(
  reader: Pick<Reader, 'read'>,
  table: Pick<Table, 'name'>,
  ...conditions: Sql[]
): Promise<number> {
  const rows = await reader.read(
    sql`SELECT count(*) AS count FROM ${identifier(table.name)}${where(conditions)}`,
  );
  return Number(rows[0]?.count ?? 0);
}

/** Returns the IDs of the rows that match the condition, at most `limit` of them. */
export async function readIds(
  reader: Pick<Reader, 'read'>,
  table: Table,
  condition: Sql,
  limit?: number,
): Promise<string[]> {
  const selection = sql`SELECT ${identifier(idColumn)} FROM ${identifier(table.name)} WHERE ${condition}`;
  const rows = await reader.read(limit === undefined ? selection : sql`${selection} LIMIT ${limit}`);
  return rows.map((row) => String(row[idColumn]));
}
