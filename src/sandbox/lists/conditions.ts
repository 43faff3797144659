/** Converts filters to conditions in SQL; `t` is the table of the list. */

import { quoteName } from '../../storage/quote-name.ts';
import { dayMs, formatTimestamp, parseTimestamp } from '../calendar.ts';
import { ruleOf } from '../rules/index.ts';
import type { Cell } from '../store/cells.ts';
import { fold, toCell } from '../store/cells.ts';
import { activeExpression, anyExpression } from '../store/schema.ts';
import type { Column, Relation, Table } from '../store/tables.ts';
import { columnOf, relationOf } from '../store/tables.ts';
import type { Variant } from '../variant.ts';
import type { FilterValues, ListQuery } from './query.ts';
import { anyLinkPath, linkPath, ownTablePath, type SearchPath } from './search-paths.ts';

/** A condition on the records of a list. */
export interface Condition {
  sql: string;
  cells: readonly Cell[];
  /** Search paths that find exactly its matches, faster than a check of every record. */
  searchPaths?: readonly SearchPath[] | undefined;
  /** The field that it bounds, and on which side. */
  bound?: { fieldName: string; isLower: boolean };
}

/** The maximum number of search paths. With more values, every record is checked. */
const maxPaths = 20;

/** Returns the conditions for the filters of a list, without the condition on deleted records. */
export function conditionsOf(table: Table, { filters }: Pick<ListQuery, 'filters'>): Condition[] {
  return filters.flatMap((filter) => conditionOf(table, filter));
}

/** The deletion state of the records that a list returns. */
export type DeletionState = 'active' | 'deleted' | 'any';

/**
 * Returns the state of the records to list: active, unless `is_deleted` is sent (API document, conventions, 7: "to include
 * deleted records"; other deployments return only deleted records), or a filter is on the day of deletion. Some deployments
 * list deleted records too unless `is_deleted` is false.
 */
export function deletionStateOf(
  { filters }: Pick<ListQuery, 'filters'>,
  variant: Pick<Variant, 'wire.deleted_filter' | 'wire.listed'>,
): DeletionState {
  const requestedValue = filters.find(({ filter }) => filter.match === 'deleted')?.values[0];
  if (requestedValue !== undefined)
    return requestedValue !== true ? 'active' : variant['wire.deleted_filter'] === 'only' ? 'deleted' : 'any';
  if (filters.some(({ filter }) => filter.on === 'deleted_at')) return 'deleted';
  return variant['wire.listed'] === 'all' ? 'any' : 'active';
}

/** Returns the condition on the state. The indexes on timestamps begin with its column. */
export function stateCondition({ isSoftDeleted }: Table, state: DeletionState): Condition[] {
  if (!isSoftDeleted || state === 'any') return [];
  return [{ sql: `t.deleted_at IS ${state === 'deleted' ? 'NOT ' : ''}NULL`, cells: [] }];
}

/** Splits a search path by state, so that an index returns the matches of each part in the order of creation. */
export function statePaths(table: Table, searchPath: SearchPath, state: DeletionState): SearchPath[] {
  if (!table.isSoftDeleted || searchPath.source) return [searchPath];
  const states = { active: [1], deleted: [0], any: [1, 0] }[state];
  return states.map((isActive) => ({
    ...searchPath,
    sql: `${searchPath.sql} AND ${activeExpression('t.')} = ${isActive}`,
  }));
}

function conditionOf(table: Table, { filter, values }: FilterValues): Condition[] {
  const { on = '', match } = filter;
  if (match === 'deleted') return [];
  const [value = ''] = values;
  const ruleCondition = match === 'unknown' ? ruleOf(table.name).filters?.[filter.name]?.(value) : undefined;
  if (ruleCondition?.isIndexed) {
    return [{ ...ruleCondition, searchPaths: [ownTablePath(ruleCondition.sql, ruleCondition.cells)] }];
  }
  if (match === 'unknown') return ruleCondition ? [ruleCondition] : [];
  const column = columnOf(table, on);
  return column
    ? columnConditions(column, { filter, values })
    : [relationCondition(table, on.split('.'), { filter, values })];
}

function columnConditions(column: Column, { filter, values }: FilterValues): Condition[] {
  const name = `t.${quoteName(column.name)}`;
  const boundCondition = (operator: string, cell: Cell): Condition => ({
    sql: `${name} ${operator} ?`,
    cells: [cell],
    bound: { fieldName: column.fieldName, isLower: operator.startsWith('>') },
  });
  const [value] = values;
  const text = String(value);
  switch (filter.match) {
    case 'contains':
      return [{ sql: `instr(fold(${name}), ?) > 0`, cells: [fold(text)] }];
    case 'after':
      return [boundCondition('>', text)];
    case 'before':
      return [boundCondition('<', text)];
    case 'on_day': {
      const start = parseTimestamp(text);
      return [
        boundCondition('>=', formatTimestamp(start)),
        boundCondition('<', formatTimestamp(start + dayMs)),
      ];
    }
    case 'any':
      return [oneOfCondition(anyExpression(name), [value === true ? 1 : 0])];
    default: {
      const cells = values.map((item) => toCell(filter.value, item));
      return [oneOfCondition(name, cells)];
    }
  }
}

function oneOfCondition(name: string, cells: readonly Cell[]): Condition {
  const condition = { sql: `${name} IN (${placeholders(cells)})`, cells };
  if (cells.length > maxPaths) return condition;
  return { ...condition, searchPaths: cells.map((cell) => ownTablePath(`${name} = ?`, [cell])) };
}

/**
 * Returns the condition on a relation, or on a relation of related records: it must contain any of the IDs, or for
 * `any` at least one record. Deleted records are ignored, because responses don't contain them.
 */
function relationCondition(
  table: Table,
  path: readonly string[],
  { filter, values }: FilterValues,
): Condition {
  const isAnyFilter = filter.match === 'any';
  const { sources, joinConditions, targetId } = joinRelations(table, path, 't.id');
  const conditions = isAnyFilter
    ? joinConditions
    : [...joinConditions, `${targetId} IN (${placeholders(values)})`];
  const mustExist = !isAnyFilter || values[0] === true;
  const relation = path.length === 1 ? relationOf(table, path[0] ?? '') : undefined;
  return {
    sql: `${mustExist ? '' : 'NOT '}EXISTS (SELECT 1 FROM ${sources.join(' CROSS JOIN ')} WHERE ${conditions.join(' AND ')})`,
    cells: isAnyFilter ? [] : values.map(String),
    searchPaths:
      mustExist && relation ? relationPaths(relation, isAnyFilter ? undefined : values) : undefined,
  };
}

function relationPaths(
  relation: Relation,
  values: readonly (string | number | boolean)[] | undefined,
): SearchPath[] | undefined {
  if (relation.kind !== 'links') return undefined;
  if (values === undefined) return relation.recordColumn === 'from_id' ? [anyLinkPath(relation)] : undefined;
  return values.length > maxPaths ? undefined : values.map((id) => linkPath(relation, String(id)));
}

interface RelationJoin {
  sources: string[];
  joinConditions: string[];
  /** The expression for the ID at the end of the path. */
  targetId: string;
}

/** Joins the tables along a path of relations, from an ID. */
function joinRelations(table: Table, path: readonly string[], startId: string): RelationJoin {
  const [fieldName = '', ...remainingPath] = path;
  const relation = relationOf(table, fieldName);
  if (!relation) throw new Error(`${table.name} has no relation ${fieldName} to filter by`);
  const { target } = relation;
  const [linkAlias, targetAlias] = [`l${remainingPath.length}`, `o${remainingPath.length}`];
  const activeConditions = target.isSoftDeleted ? [`${targetAlias}.deleted_at IS NULL`] : [];
  const isLinked = relation.kind === 'links';
  const join: RelationJoin = {
    sources: [
      ...(isLinked ? [`${quoteName(relation.table.name)} ${linkAlias}`] : []),
      `${quoteName(target.name)} ${targetAlias}`,
    ],
    joinConditions: isLinked
      ? [
          `${linkAlias}.${relation.recordColumn} = ${startId}`,
          `${targetAlias}.id = ${linkAlias}.${relation.targetColumn}`,
          ...activeConditions,
        ]
      : [`${targetAlias}.${quoteName(relation.column)} = ${startId}`, ...activeConditions],
    targetId: `${targetAlias}.id`,
  };
  if (remainingPath.length === 0) return join;
  const nextJoin = joinRelations(target, remainingPath, join.targetId);
  return {
    sources: [...join.sources, ...nextJoin.sources],
    joinConditions: [...join.joinConditions, ...nextJoin.joinConditions],
    targetId: nextJoin.targetId,
  };
}

function placeholders(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ');
}
