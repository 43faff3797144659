/** Builds the SQL that finds the matches of a list, from any position in its order. */
import type { Database } from '../../storage/database.ts';
import { quoted } from '../../storage/quoted.ts';
import type { Cell, StoredRow } from '../store/cells.ts';
import type { Table } from '../store/tables.ts';
import { type Condition, conditionsOf, type State, stateCondition, statePaths } from './conditions.ts';
import { directionOf, type OrderRange, sortsOf, type Term, termsOf } from './order.ts';
import type { ListQuery } from './query.ts';
import { ownPath, type SearchPath } from './search-paths.ts';

/** A list request without its page. */
export interface ListSearch {
  table: Table;
  searchPaths: readonly SearchPath[];
  /** The conditions that the paths don't check. */
  conditions: readonly Condition[];
  terms: readonly Term[];
  /** Whether the order is that of creation. */
  isInOrder: boolean;
  /** Whether the state is the only condition. */
  isPlain: boolean;
  wanted: State;
}

/** Plans the search for a list. */
export function searchFor(table: Table, query: ListQuery, wanted: State): ListSearch {
  const allConditions = conditionsOf(table, query);
  const sorts = sortsOf(query, wanted);
  // Paths in the list's own table give the order of creation; for another order, only paths through other tables
  // help.
  const isUsable = ({ searchPaths = [] }: Condition) =>
    sorts.length === 0 || searchPaths[0]?.source !== undefined;
  const lead = allConditions.find((condition) => condition.searchPaths !== undefined && isUsable(condition));
  const isOfState = lead?.searchPaths?.[0]?.source === undefined && lead !== undefined;
  return {
    table,
    searchPaths: lead?.searchPaths?.flatMap((searchPath) => statePaths(table, searchPath, wanted)) ?? [
      ownPath('', []),
    ],
    conditions: [
      ...(isOfState ? [] : stateCondition(table, wanted)),
      ...allConditions.filter((condition) => !(condition === lead && condition.isSure)),
    ],
    terms: termsOf(sorts),
    isInOrder: sorts.length === 0,
    isPlain: allConditions.length === 0,
    wanted,
  };
}

/** Where to start: at the beginning, after a `seq` in the order of creation, or within a range of another order. */
export interface Start {
  after?: number;
  range?: OrderRange;
}

/** A part of the matches. */
export interface PageRange extends Start {
  skip: number;
  limit: number;
}

/** Returns whole rows. */
export function rowsOf(
  database: Database,
  search: ListSearch,
  { skip, limit, ...start }: PageRange,
): StoredRow[] {
  const { sql, cells } = matchesOf(search, start);
  const own = quoted(search.table.name);
  return database.all(
    `SELECT t.* FROM (${sql} LIMIT ? OFFSET ?) m CROSS JOIN ${own} t ON t.seq = m.seq`,
    ...cells,
    limit,
    skip,
  );
}

/** Counts the matches, up to a limit. */
export function countOf(database: Database, search: ListSearch, limit: number, start?: Start): number {
  const { sql, cells } = matchesOf(search, start);
  const counted = database.get(`SELECT count(*) AS number FROM (${sql} LIMIT ?) m`, ...cells, limit);
  return Number(counted?.number);
}

/** Returns a key that is the same for the same list. */
export function signatureOf(search: ListSearch): string {
  const { sql, cells } = matchesOf(search);
  return JSON.stringify([sql, cells]);
}

function matchesOf(search: ListSearch, { after, range }: Start = {}): { sql: string; cells: Cell[] } {
  const { table, searchPaths, terms, isInOrder } = search;
  const open = range ? [...search.conditions.filter(isOpenAfter(search)), range] : search.conditions;
  const isOne = searchPaths.length === 1;
  const parts = searchPaths.map((searchPath) => {
    const own = `${quoted(table.name)} t`;
    // CROSS JOIN keeps SQLite from changing the order of the tables.
    const from = searchPath.source
      ? `${searchPath.source.table} CROSS JOIN ${own} ON ${searchPath.source.join}`
      : own;
    const wanted = [
      ...(searchPath.sql === '' ? [] : [searchPath.sql]),
      ...(after === undefined ? [] : [searchPath.behind]),
      ...open.map(({ sql }) => sql),
    ];
    const chosen = isInOrder
      ? [`${searchPath.seq} AS seq`]
      : terms.map(({ sql, column }) => `${sql} AS ${quoted(column)}`);
    const where = wanted.length === 0 ? '' : ` WHERE ${wanted.join(' AND ')}`;
    return {
      sql: `SELECT ${searchPath.isRepeating && isOne ? 'DISTINCT ' : ''}${chosen.join(', ')} FROM ${from}${where}`,
      cells: [
        ...searchPath.cells,
        ...(after === undefined ? [] : [after]),
        ...open.flatMap(({ cells }) => cells),
      ],
    };
  });
  return {
    sql: `${parts.map(({ sql }) => sql).join(' UNION ')} ORDER BY ${orderBy(search)}`,
    cells: parts.flatMap(({ cells }) => cells),
  };
}

/** The results of several paths are merged by column names. */
function orderBy({ searchPaths, terms, isInOrder }: ListSearch): string {
  const [first, ...others] = searchPaths;
  if (isInOrder && first && others.length === 0) return first.order;
  const nameOf = ({ sql, column }: Term) => (others.length === 0 ? sql : quoted(column));
  return terms.map((term) => `${nameOf(term)}${directionOf(term)}`).join(', ');
}

/** SQLite uses one lower bound for a range: if the range of a bookmark sets it, the filter's own is already met. */
function isOpenAfter({ terms: [first] }: ListSearch): (condition: Condition) => boolean {
  return ({ end }) =>
    end === undefined || end.fieldName !== first?.column || end.isLower === first.isDescending;
}
