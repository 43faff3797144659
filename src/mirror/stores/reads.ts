/** What is often read of a table: how many rows it has, and the ids of some. */
import { idColumn, type Table } from '../schema/table.ts';
import { name, type Sql, sql, where } from './sql.ts';
import type { Reader } from './store.ts';

/** Returns how many rows there are of which the conditions hold. */
export async function countOf(
  { read }: Pick<Reader, 'read'>,
  table: Pick<Table, 'name'>,
  ...conditions: Sql[]
): Promise<number> {
  const rows = await read(sql`SELECT count(*) AS count FROM ${name(table.name)}${where(conditions)}`);
  return Number(rows[0]?.count ?? 0);
}

/** Returns the ids of rows of which the condition holds; of no more than `limit`, where there is one. */
export async function idsOf(
  { read }: Pick<Reader, 'read'>,
  table: Table,
  condition: Sql,
  limit?: number,
): Promise<string[]> {
  const all = sql`SELECT ${name(idColumn)} FROM ${name(table.name)} WHERE ${condition}`;
  const rows = await read(limit === undefined ? all : sql`${all} LIMIT ${limit}`);
  return rows.map((row) => String(row[idColumn]));
}
