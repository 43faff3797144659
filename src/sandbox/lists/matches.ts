/** The matches of a list in SQL, from any place in their order. */
import type { Database } from '../../storage/database.ts';
import { quoted } from '../../storage/quoted.ts';
import type { Cell, StoredRow } from '../store/cells.ts';
import type { Table } from '../store/tables.ts';
import { type Arm, ownArm } from './arms.ts';
import { type Condition, conditionsOf, type State, stateArms, stateCondition } from './conditions.ts';
import { directionOf, type Stretch, sortsOf, type Term, termsOf } from './order.ts';
import type { ListQuery } from './query.ts';

/** What a list asks for, but for the page. */
export interface Search {
  table: Table;
  arms: readonly Arm[];
  /** What the arms leave open. */
  conditions: readonly Condition[];
  terms: readonly Term[];
  /** In the order of creation. */
  isInOrder: boolean;
  /** Nothing else is asked of records than their state. */
  isPlain: boolean;
  wanted: State;
}

export function searchFor(table: Table, query: ListQuery, wanted: State): Search {
  const asked = conditionsOf(table, query);
  const sorts = sortsOf(query, wanted);
  // What is found in the table itself is found in the order of creation, and else one record after another.
  const isUsable = ({ arms = [] }: Condition) => sorts.length === 0 || arms[0]?.source !== undefined;
  const lead = asked.find((condition) => condition.arms !== undefined && isUsable(condition));
  const isOfState = lead?.arms?.[0]?.source === undefined && lead !== undefined;
  return {
    table,
    arms: lead?.arms?.flatMap((arm) => stateArms(table, arm, wanted)) ?? [ownArm('', [])],
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

/** Where to begin: at the beginning, behind a `seq` in lists in that order, or within a stretch of any order. */
export interface Start {
  after?: number;
  stretch?: Stretch;
}

export interface Part extends Start {
  skip: number;
  limit: number;
}

/** Whole rows. */
export function rowsOf(database: Database, search: Search, { skip, limit, ...start }: Part): StoredRow[] {
  const { sql, cells } = matchesOf(search, start);
  const own = quoted(search.table.name);
  return database.all(
    `SELECT t.* FROM (${sql} LIMIT ? OFFSET ?) m CROSS JOIN ${own} t ON t.seq = m.seq`,
    ...cells,
    limit,
    skip,
  );
}

/** Their numbers alone. */
export function numbersOf(database: Database, search: Search, { skip, limit, ...start }: Part): number[] {
  const { sql, cells } = matchesOf(search, start);
  return database.all(`${sql} LIMIT ? OFFSET ?`, ...cells, limit, skip).map(({ seq }) => Number(seq));
}

/** How many there are, counted up to a limit. */
export function countOf(database: Database, search: Search, limit: number, start?: Start): number {
  const { sql, cells } = matchesOf(search, start);
  const counted = database.get(`SELECT count(*) AS number FROM (${sql} LIMIT ?) m`, ...cells, limit);
  return Number(counted?.number);
}

/** The same for the same list. */
export function signatureOf(search: Search): string {
  const { sql, cells } = matchesOf(search);
  return JSON.stringify([sql, cells]);
}

function matchesOf(search: Search, { after, stretch }: Start = {}): { sql: string; cells: Cell[] } {
  const { table, arms, terms, isInOrder } = search;
  const open = stretch ? [...search.conditions.filter(isLeftBy(search)), stretch] : search.conditions;
  const isOne = arms.length === 1;
  const parts = arms.map((arm) => {
    const own = `${quoted(table.name)} t`;
    // CROSS JOIN keeps SQLite from turning the order around.
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

/** Several arms are merged by the names of what they found. */
function orderBy({ arms, terms, isInOrder }: Search): string {
  const [first, ...others] = arms;
  if (isInOrder && first && others.length === 0) return first.order;
  const nameOf = ({ sql, column }: Term) => (others.length === 0 ? sql : quoted(column));
  return terms.map((term) => `${nameOf(term)}${directionOf(term)}`).join(', ');
}

/** A range has one beginning for SQLite: where a stretch sets it, that of the filter is behind us. */
function isLeftBy({ terms: [first] }: Search): (condition: Condition) => boolean {
  return ({ end }) =>
    end === undefined || end.fieldName !== first?.column || end.isLower === first.isDescending;
}
