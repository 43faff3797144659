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
  arms: readonly SearchPath[];
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
  const asked = conditionsOf(table, query);
  const sorts = sortsOf(query, wanted);
  // Paths in the list's own table give the order of creation; for another order, only paths through other tables
  // help.
  const isUsable = ({ arms = [] }: Condition) => sorts.length === 0 || arms[0]?.source !== undefined;
  const lead = asked.find((condition) => condition.arms !== undefined && isUsable(condition));
  const isOfState = lead?.arms?.[0]?.source === undefined && lead !== undefined;
  return {
    table,
    arms: lead?.arms?.flatMap((arm) => statePaths(table, arm, wanted)) ?? [ownPath('', [])],
    conditions: [
      ...(isOfState ? [] : stateCondition(table, wanted)),
      ...asked.filter((condition) => !(condition === lead && condition.isSure)),
    ],
    terms: termsOf(sorts),
    isInOrder: sorts.length === 0,
    isPlain: asked.length === 0,
    wanted,
  };
}

/** Where to start: at the beginning, after a `seq` in the order of creation, or within a range of another order. */
export interface Start {
  after?: number;
  stretch?: OrderRange;
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

/** Returns only the `seq` numbers. */
export function numbersOf(
  database: Database,
  search: ListSearch,
  { skip, limit, ...start }: PageRange,
): number[] {
  const { sql, cells } = matchesOf(search, start);
  return database.all(`${sql} LIMIT ? OFFSET ?`, ...cells, limit, skip).map(({ seq }) => Number(seq));
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

function matchesOf(search: ListSearch, { after, stretch }: Start = {}): { sql: string; cells: Cell[] } {
  const { table, arms, terms, isInOrder } = search;
  const open = stretch ? [...search.conditions.filter(isOpenAfter(search)), stretch] : search.conditions;
  const isOne = arms.length === 1;
  const parts = arms.map((arm) => {
    const own = `${quoted(table.name)} t`;
    // CROSS JOIN keeps SQLite from changing the order of the tables.
    const from = arm.source ? `${arm.source.table} CROSS JOIN ${own} ON ${arm.source.join}` : own;
    const wanted = [
      ...(arm.sql === '' ? [] : [arm.sql]),
      ...(after === undefined ? [] : [arm.behind]),
      ...open.map(({ sql }) => sql),
    ];
    const chosen = isInOrder
      ? [`${arm.seq} AS seq`]
      : terms.map(({ sql, column }) => `${sql} AS ${quoted(column)}`);
    const where = wanted.length === 0 ? '' : ` WHERE ${wanted.join(' AND ')}`;
    return {
      sql: `SELECT ${arm.isRepeating && isOne ? 'DISTINCT ' : ''}${chosen.join(', ')} FROM ${from}${where}`,
      cells: [...arm.cells, ...(after === undefined ? [] : [after]), ...open.flatMap(({ cells }) => cells)],
    };
  });
  return {
    sql: `${parts.map(({ sql }) => sql).join(' UNION ')} ORDER BY ${orderBy(search)}`,
    cells: parts.flatMap(({ cells }) => cells),
  };
}

/** The results of several paths are merged by column names. */
function orderBy({ arms, terms, isInOrder }: ListSearch): string {
  const [first, ...others] = arms;
  if (isInOrder && first && others.length === 0) return first.order;
  const nameOf = ({ sql, column }: Term) => (others.length === 0 ? sql : quoted(column));
  return terms.map((term) => `${nameOf(term)}${directionOf(term)}`).join(', ');
}

/** SQLite uses one lower bound for a range: if the range of a bookmark sets it, the filter's own is already met. */
function isOpenAfter({ terms: [first] }: ListSearch): (condition: Condition) => boolean {
  return ({ end }) =>
    end === undefined || end.fieldName !== first?.column || end.isLower === first.isDescending;
}
