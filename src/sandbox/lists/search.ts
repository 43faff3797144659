/** Lists in SQL: which records match, in which order, and how many there are. */

import type { Cell, Row } from '../store/cells.ts';
import type { Database } from '../store/database.ts';
import { quoted } from '../store/schema.ts';
import type { Table } from '../store/tables.ts';
import { columnOf } from '../store/tables.ts';
import { type Condition, conditionsOf, isForDeleted } from './conditions.ts';
import type { ListQuery, Sort } from './query.ts';

export const pageSize = 50;

/** Matches are counted up to here; a list with more of them tells no total, so that large lists stay as quick as small ones. */
const mostCounted = 1000;

export interface Page {
  rows: Row[];
  hasNext: boolean;
  /** Undefined where there are too many to count. */
  total: number | undefined;
}

export function searchPage(database: Database, table: Table, query: ListQuery): Page {
  const conditions = conditionsOf(table, query);
  const { from, cells } = matching(table, conditions);
  const offset = (query.page - 1) * pageSize;
  const found = database.all(
    `SELECT t.* ${from} ORDER BY ${order(table, query, conditions)} LIMIT ? OFFSET ?`,
    ...cells,
    pageSize + 1,
    offset,
  );
  const rows = found.slice(0, pageSize);
  const hasNext = found.length > pageSize;
  const isWithin = rows.length > 0 || offset === 0;
  const counted = isWithin && !hasNext ? offset + rows.length : count(database, from, cells);
  return { rows, hasNext, total: keptCount(database, table, query) ?? counted };
}

/** A condition may name another place to look first, which then leads to the records. */
function matching(table: Table, conditions: readonly Condition[]): { from: string; cells: Cell[] } {
  const lead = conditions.find((condition) => condition.lead)?.lead;
  const sources = lead
    ? `${lead.from} CROSS JOIN ${quoted(table.name)} t ON t.seq = ${lead.seq}`
    : `${quoted(table.name)} t`;
  const all = [...(lead ? [lead.condition] : []), ...conditions];
  const where = all.length === 0 ? '' : ` WHERE ${all.map(({ sql }) => sql).join(' AND ')}`;
  return { from: `FROM ${sources}${where}`, cells: all.flatMap((condition) => condition.cells) };
}

/** Where nothing is asked but whether records are deleted, the number is known. */
function keptCount(database: Database, table: Table, query: ListQuery): number | undefined {
  if (query.filters.some(({ filter }) => filter.match !== 'deleted' && filter.match !== 'unknown'))
    return undefined;
  const row = database.get('SELECT active, deleted FROM sandbox_counts WHERE name = ?', table.name);
  return Number(isForDeleted(query) ? row?.deleted : row?.active);
}

function count(database: Database, from: string, cells: readonly Cell[]): number | undefined {
  const sql = `SELECT count(*) AS number FROM (SELECT 1 ${from} LIMIT ?)`;
  const number = Number(database.get(sql, ...cells, mostCounted + 1)?.number);
  return number > mostCounted ? undefined : number;
}

/** As asked; else by the moment that is bounded or of the deletion, so that an index gives both; else as created. */
function order(table: Table, query: ListQuery, conditions: readonly Condition[]): string {
  const { sort, filters } = query;
  const bounds = new Set(['after', 'before', 'on_day']);
  const bounded = filters.find(({ filter }) => bounds.has(filter.match))?.filter.on;
  const lead = conditions.find((condition) => condition.lead)?.lead;
  const natural = bounded ?? (isForDeleted(query) ? 'deleted_at' : undefined);
  if (sort.length === 0 && lead && natural === undefined) return lead.order;
  const sorts: readonly Sort[] =
    sort.length === 0 && natural !== undefined ? [{ fieldName: natural, isDescending: false }] : sort;
  const parts = sorts.map(({ fieldName, isDescending }) => {
    const name = columnOf(table, fieldName)?.name ?? 'seq';
    return `t.${quoted(name)}${isDescending ? ' DESC' : ''}`;
  });
  return [...parts, `t.seq${sorts[0]?.isDescending ? ' DESC' : ''}`].join(', ');
}
