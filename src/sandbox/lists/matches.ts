/** Builds the SQL that finds the matches of a list, from any position in the list's order. */
import type { Database } from '../../storage/database.ts';
import { quoteName } from '../../storage/quote-name.ts';
import type { Cell, StoredRow } from '../store/cells.ts';
import type { Table } from '../store/tables.ts';
import {
  type Condition,
  conditionsOf,
  type DeletionState,
  stateCondition,
  statePaths,
} from './conditions.ts';
import { directionOf, type OrderRange, type OrderTerm, sortsOf, termsOf } from './order.ts';
import type { ListQuery } from './query.ts';
import { ownTablePath, type SearchPath } from './search-paths.ts';

/** The search for a list, without a page. */
export interface ListSearch {
  table: Table;
  searchPaths: readonly SearchPath[];
  /** The conditions that the search paths don't check. */
  conditions: readonly Condition[];
  terms: readonly OrderTerm[];
  /** Whether the list is in the order of creation. */
  isCreationOrder: boolean;
  /** Whether the deletion state is the only condition. */
  isStateOnly: boolean;
  state: DeletionState;
}

/** Plans the search for a list. */
export function planSearch(table: Table, query: ListQuery, state: DeletionState): ListSearch {
  const allConditions = conditionsOf(table, query);
  const sorts = sortsOf(query, state);
  // Search paths in the table of the list return rows in the order of creation. For another order, only search paths
  // through other tables are useful.
  const isUsable = ({ searchPaths = [] }: Condition) =>
    sorts.length === 0 || searchPaths[0]?.source !== undefined;
  const indexedCondition = allConditions.find(
    (condition) => condition.searchPaths !== undefined && isUsable(condition),
  );
  const arePathsByState =
    indexedCondition?.searchPaths?.[0]?.source === undefined && indexedCondition !== undefined;
  return {
    table,
    searchPaths: indexedCondition?.searchPaths?.flatMap((searchPath) =>
      statePaths(table, searchPath, state),
    ) ?? [ownTablePath('', [])],
    conditions: [
      ...(arePathsByState ? [] : stateCondition(table, state)),
      ...allConditions.filter((condition) => condition !== indexedCondition),
    ],
    terms: termsOf(sorts),
    isCreationOrder: sorts.length === 0,
    isStateOnly: allConditions.length === 0,
    state,
  };
}

/** The start of a search: the beginning, after a `seq` in the order of creation, or within a range of another order. */
export interface SearchStart {
  after?: number;
  range?: OrderRange;
}

/** A range of the matches. */
export interface PageRange extends SearchStart {
  skip: number;
  limit: number;
}

/** Returns the rows of a range of the matches. */
export function rowsInRange(
  database: Database,
  search: ListSearch,
  { skip, limit, ...start }: PageRange,
): StoredRow[] {
  const { sql, cells } = matchesSql(search, start);
  const ownTable = quoteName(search.table.name);
  return database.all(
    `SELECT t.* FROM (${sql} LIMIT ? OFFSET ?) m CROSS JOIN ${ownTable} t ON t.seq = m.seq`,
    ...cells,
    limit,
    skip,
  );
}

/** Counts the matches, up to a limit. */
export function countMatches(
  database: Database,
  search: ListSearch,
  limit: number,
  start?: SearchStart,
): number {
  const { sql, cells } = matchesSql(search, start);
  const row = database.get(`SELECT count(*) AS number FROM (${sql} LIMIT ?) m`, ...cells, limit);
  return Number(row?.number);
}

/** Returns a key of the search: equal searches have equal keys. */
export function searchKey(search: ListSearch): string {
  const { sql, cells } = matchesSql(search);
  return JSON.stringify([sql, cells]);
}

function matchesSql(search: ListSearch, { after, range }: SearchStart = {}): { sql: string; cells: Cell[] } {
  const { table, searchPaths, terms, isCreationOrder } = search;
  const conditions = range ? [...search.conditions.filter(isNotImpliedBy(search)), range] : search.conditions;
  const isSinglePath = searchPaths.length === 1;
  const parts = searchPaths.map((searchPath) => {
    const ownTable = `${quoteName(table.name)} t`;
    // CROSS JOIN keeps SQLite from changing the order of the tables.
    const from = searchPath.source
      ? `${searchPath.source.table} CROSS JOIN ${ownTable} ON ${searchPath.source.join}`
      : ownTable;
    const allConditions = [
      ...(searchPath.sql === '' ? [] : [searchPath.sql]),
      ...(after === undefined ? [] : [`${searchPath.seq} > ?`]),
      ...conditions.map(({ sql }) => sql),
    ];
    const columns = isCreationOrder
      ? [`${searchPath.seq} AS seq`]
      : terms.map(({ sql, column }) => `${sql} AS ${quoteName(column)}`);
    const where = allConditions.length === 0 ? '' : ` WHERE ${allConditions.join(' AND ')}`;
    return {
      sql: `SELECT ${searchPath.hasDuplicates && isSinglePath ? 'DISTINCT ' : ''}${columns.join(', ')} FROM ${from}${where}`,
      cells: [
        ...searchPath.cells,
        ...(after === undefined ? [] : [after]),
        ...conditions.flatMap(({ cells }) => cells),
      ],
    };
  });
  return {
    sql: `${parts.map(({ sql }) => sql).join(' UNION ')} ORDER BY ${orderBy(search)}`,
    cells: parts.flatMap(({ cells }) => cells),
  };
}

/** Returns the terms of the ORDER BY clause. The results of several search paths are merged by column names. */
function orderBy({ searchPaths, terms, isCreationOrder }: ListSearch): string {
  const [firstPath, ...otherPaths] = searchPaths;
  if (isCreationOrder && firstPath && otherPaths.length === 0) return firstPath.seq;
  const nameOf = ({ sql, column }: OrderTerm) => (otherPaths.length === 0 ? sql : quoteName(column));
  return terms.map((term) => `${nameOf(term)}${directionOf(term)}`).join(', ');
}

/**
 * Returns a predicate: whether a condition must be checked in addition to a bookmark's range. SQLite uses one bound for a range, and
 * the bookmark's bound implies the filter's bound on the same side.
 */
function isNotImpliedBy({ terms: [firstTerm] }: ListSearch): (condition: Condition) => boolean {
  return ({ bound }) =>
    bound === undefined || bound.fieldName !== firstTerm?.column || bound.isLower === firstTerm.isDescending;
}
