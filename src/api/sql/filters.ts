/** Converts the filters of the contract to conditions in SQL, and finds the tables of relations. */

import type { Cell } from '../../base/storage/database.ts';
import type { Api } from '../contract/api.ts';
import type { Field, Fields } from '../contract/field.ts';
import type { Filter } from '../contract/filter.ts';
import { type Sql, sql, where } from './sql.ts';

/**
 * Where a relation to many is stored: in a link table, which is named after the resource and field that declare the
 * relation (`isInverse` means the other resource), or in a column of the other resource's table.
 */
export type RelationStorage =
  | { kind: 'links'; table: string; pivot: Fields; isInverse: boolean }
  | { kind: 'column'; table: string; column: string };

/** Returns where a relation to many of a resource or nested list, with the table name `owner`, is stored. */
export function relationStorage(api: Api, owner: string, name: string, { traits }: Field): RelationStorage {
  const { target = '', inverseOf, pivot = {} } = traits;
  if (inverseOf === undefined) return { kind: 'links', table: `${owner}_${name}`, pivot, isInverse: false };
  const declared = api.resource(target)?.fields[inverseOf];
  if (declared?.kind === 'one') return { kind: 'column', table: target, column: `${inverseOf}_id` };
  const table = `${target}_${inverseOf}`;
  return { kind: 'links', table, pivot: declared?.traits.pivot ?? {}, isInverse: true };
}

/** The rows of a relation: each has the ID of a record and the ID of a related record. */
export interface RelationRows {
  /** The tables after FROM. */
  from: Sql;
  recordId: Sql;
  relatedId: Sql;
  conditions: readonly Sql[];
}

/** The table of a list with the columns and relations that filters use. */
export interface FilteredTable {
  id: Sql;
  /** Returns the column of a field, or of the ID of a related record; undefined if the table has none. */
  column(field: string): Sql | undefined;
  /** Returns the rows of a relation; `path` can lead through nested records. Undefined for other fields. */
  relation(path: string): RelationRows | undefined;
  /** Returns the condition that a column contains a text, ignoring case. */
  contains(column: Sql, text: string): Sql;
}

/**
 * Returns the condition for a filter: a record must match one of the cells. Returns undefined if the contract doesn't
 * define how the filter matches, or the table doesn't store its field.
 */
export function filterCondition(
  table: FilteredTable,
  { on, match }: Filter,
  cells: readonly Cell[],
): Sql | undefined {
  if (on === undefined) return undefined;
  const [value = null] = cells;
  const relation = table.relation(on);
  if (relation && match === 'equals') {
    const { recordId, relatedId, from, conditions } = relation;
    return sql`${table.id} IN (SELECT ${recordId} FROM ${from}${where([sql`${relatedId} IN ${cells}`, ...conditions])})`;
  }
  if (relation && match === 'any') {
    const { recordId, from, conditions } = relation;
    const ids = sql`(SELECT ${recordId} FROM ${from}${where([sql`${recordId} IS NOT NULL`, ...conditions])})`;
    return value === 1 ? sql`${table.id} IN ${ids}` : sql`${table.id} NOT IN ${ids}`;
  }
  const column = table.column(on);
  if (!column) return undefined;
  switch (match) {
    case 'equals':
      return sql`${column} IN ${cells}`;
    case 'contains':
      return table.contains(column, String(value));
    case 'after':
      return sql`${column} > ${value}`;
    case 'before':
      return sql`${column} < ${value}`;
    case 'on_day':
      return sql`${column} BETWEEN ${`${value} 00:00:00`} AND ${`${value} 23:59:59`}`;
    case 'any':
      return value === 1 ? sql`${column} > 0` : sql`(${column} IS NULL OR ${column} = 0)`;
    default:
      return undefined;
  }
}
