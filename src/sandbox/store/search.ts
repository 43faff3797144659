/** Lists in SQL: which records match, in which order, and how many there are. */
import { dayLength, readMoment, writeMoment } from '../business/calendar.ts';
import type { Asked, ListQuery, Sort } from '../http/list-query.ts';
import type { Cell, Row } from './cells.ts';
import { toCell } from './cells.ts';
import type { Database } from './database.ts';
import { quoted } from './schema.ts';
import type { Relation, Table } from './tables.ts';
import { columnOf, relationOf, tableNamed } from './tables.ts';

export const pageSize = 50;

/** Matches are counted up to here; a list with more of them tells no total, so that large lists stay as quick as small ones. */
const mostCounted = 1000;

export interface Page {
  rows: Row[];
  hasNext: boolean;
  /** Undefined where there are too many to count. */
  total: number | undefined;
}

interface Condition {
  sql: string;
  cells: Cell[];
}

export function searchPage(database: Database, table: Table, query: ListQuery): Page {
  const conditions = [
    ...activity(table, query),
    ...query.filters.flatMap((asked) => conditionOf(table, asked)),
  ];
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`;
  const cells = conditions.flatMap((condition) => condition.cells);
  const from = `FROM ${quoted(table.name)} t${where}`;
  const found = database.all(
    `SELECT t.* ${from} ORDER BY ${order(table, query)} LIMIT ? OFFSET ?`,
    ...cells,
    pageSize + 1,
    (query.page - 1) * pageSize,
  );
  return {
    rows: found.slice(0, pageSize),
    hasNext: found.length > pageSize,
    total: keptCount(database, table, query) ?? count(database, from, cells),
  };
}

/** Active records, unless deleted ones are asked for in so many words or by the day of their deletion. */
function activity({ isSoftDeleted }: Table, { filters }: ListQuery): Condition[] {
  if (!isSoftDeleted) return [];
  const asked = filters.find(({ filter }) => filter.match === 'deleted')?.values[0];
  const areDeleted = asked ?? filters.some(({ filter }) => filter.on === 'deleted_at');
  return [{ sql: `t.deleted_at IS ${areDeleted ? 'NOT ' : ''}NULL`, cells: [] }];
}

/** Where nothing but that is asked, the number is known. */
function keptCount(database: Database, table: Table, { filters }: ListQuery): number | undefined {
  if (filters.some(({ filter }) => filter.match !== 'deleted')) return undefined;
  const row = database.get('SELECT active, deleted FROM sandbox_counts WHERE name = ?', table.name);
  return Number(row?.[filters[0]?.values[0] ? 'deleted' : 'active']);
}

function count(database: Database, from: string, cells: readonly Cell[]): number | undefined {
  const sql = `SELECT count(*) AS number FROM (SELECT 1 ${from} LIMIT ?)`;
  const number = Number(database.get(sql, ...cells, mostCounted + 1)?.number);
  return number > mostCounted ? undefined : number;
}

/** As asked; else by the moment that a filter bounds, so that an index gives both; else as created. */
function order(table: Table, { sort, filters }: ListQuery): string {
  const bounded = filters.find(
    ({ filter: { match } }) => match === 'after' || match === 'before' || match === 'on_day',
  );
  const sorts: readonly Sort[] =
    sort.length === 0 && bounded?.filter.on ? [{ fieldName: bounded.filter.on, isDescending: false }] : sort;
  const parts = sorts.map(({ fieldName, isDescending }) => {
    const name = columnOf(table, fieldName)?.name ?? 'seq';
    return `t.${quoted(name)}${isDescending ? ' DESC' : ''}`;
  });
  return [...parts, `t.seq${sorts[0]?.isDescending ? ' DESC' : ''}`].join(', ');
}

function conditionOf(table: Table, { filter, values }: Asked): Condition[] {
  const { on = '', match, value: field } = filter;
  if (match === 'deleted' || match === 'unknown') return [];
  const column = columnOf(table, on);
  if (!column)
    return [
      relationCondition(table, on.split('.'), match === 'any' ? undefined : values, values[0] !== false),
    ];
  const name = `t.${quoted(column.name)}`;
  const cells = values.map((value) => toCell(field, value));
  const text = String(values[0]);
  switch (match) {
    case 'contains':
      return [{ sql: `instr(fold(${name}), fold(?)) > 0`, cells: [text] }];
    case 'after':
      return [
        {
          sql: `${name} > ?`,
          cells: [column.field.kind === 'timestamp' ? writeMoment(readMoment(text)) : text],
        },
      ];
    case 'before':
      return [{ sql: `${name} < ?`, cells: [text] }];
    case 'on_day': {
      const start = readMoment(text);
      return [{ sql: `${name} >= ? AND ${name} < ?`, cells: [start, start + dayLength].map(writeMoment) }];
    }
    case 'any':
      return [{ sql: `ifnull(${name}, 0) ${values[0] ? '>' : '='} 0`, cells: [] }];
    default:
      return [{ sql: `${name} IN (${cells.map(() => '?').join(', ')})`, cells }];
  }
}

/** Whether a relation, or a relation of related records, leads to any of these ids; to anything at all without ids. */
function relationCondition(
  table: Table,
  path: readonly string[],
  ids: Asked['values'] | undefined,
  isWanted: boolean,
): Condition {
  const { joins, near, far } = joined(table, path);
  const wanted = ids ? ` AND ${far} IN (${ids.map(() => '?').join(', ')})` : '';
  const sql = `${isWanted ? '' : 'NOT '}EXISTS (SELECT 1 FROM ${joins} WHERE ${near} = t.id${wanted})`;
  return { sql, cells: (ids ?? []).map(String) };
}

function joined(table: Table, path: readonly string[]): { joins: string; near: string; far: string } {
  const [fieldName = '', ...rest] = path;
  const relation = relationOf(table, fieldName);
  if (!relation) throw new Error(`${table.name} has no relation ${fieldName} to filter by`);
  const name = `r${rest.length}`;
  const { source, near, far } = ends(relation);
  const own = { joins: `${quoted(source)} ${name}`, near: `${name}.${near}`, far: `${name}.${far}` };
  if (rest.length === 0) return own;
  const next = joined(tableNamed(relation.target), rest);
  return {
    joins: `${own.joins} JOIN ${next.joins} ON ${next.near} = ${own.far}`,
    near: own.near,
    far: next.far,
  };
}

function ends(relation: Relation): { source: string; near: string; far: string } {
  return relation.kind === 'links'
    ? { source: relation.table.name, near: relation.near, far: relation.far }
    : { source: relation.target, near: quoted(relation.column), far: 'id' };
}
