/** Determines the order of a list, and the position of a record in it. */
import type { Match } from '../../contract/filter.ts';
import { quoted } from '../../storage/quoted.ts';
import type { Cell, StoredRow } from '../store/cells.ts';
import type { DeletionState } from './conditions.ts';
import type { ListQuery, Sort } from './query.ts';

/**
 * Returns the requested order. Otherwise it orders by the time that a filter bounds, or by deletion, so that one
 * index serves both; without these, by creation.
 */
export function sortsOf(
  { sort, filters }: Pick<ListQuery, 'sort' | 'filters'>,
  wanted: DeletionState,
): readonly Sort[] {
  if (sort.length > 0) return sort;
  const rangeField = filters.find(({ filter }) => rangeMatches.includes(filter.match))?.filter.on;
  const fieldName = rangeField ?? (wanted === 'deleted' ? 'deleted_at' : undefined);
  return fieldName === undefined ? [] : [{ fieldName, isDescending: false }];
}

const rangeMatches: readonly Match[] = ['after', 'before', 'on_day'];

/** One expression that records are ordered by. */
export interface OrderTerm {
  sql: string;
  column: string;
  isDescending: boolean;
}

/** Returns the expressions of an order. Equal records are ordered by creation. */
export function termsOf(sorts: readonly Sort[]): OrderTerm[] {
  const [first] = sorts;
  const creationSort = { fieldName: 'seq', isDescending: first?.isDescending ?? false };
  return [...sorts, creationSort].map(({ fieldName, isDescending }) => ({
    sql: `t.${quoted(fieldName)}`,
    column: fieldName,
    isDescending,
  }));
}

/** Returns the direction in SQL. */
export function directionOf({ isDescending }: Pick<OrderTerm, 'isDescending'>): string {
  return isDescending ? ' DESC' : '';
}

/** A range of an order, as a condition. */
export interface OrderRange {
  sql: string;
  cells: Cell[];
}

/**
 * Returns what comes after a record in an order, as ranges: records equal in all terms but the last, then in all but
 * the last two, and so on. Each is one range of the index that has the order, and they follow one another.
 */
export function rangesAfter(terms: readonly OrderTerm[], row: StoredRow): OrderRange[] {
  return terms.flatMap((_, index) => {
    const equalTerms = terms.slice(0, terms.length - 1 - index);
    const term = terms[equalTerms.length];
    if (!term) return [];
    const equalConditions = equalTerms.map(({ sql, column }) => ({
      sql: `${sql} IS ?`,
      cell: row[column] ?? null,
    }));
    return rangesAfterCell(term, row[term.column] ?? null).map(({ sql, cells }) => ({
      sql: [...equalConditions.map((each) => each.sql), sql].join(' AND '),
      cells: [...equalConditions.map(({ cell }) => cell), ...cells],
    }));
  });
}

/** As in SQLite, null comes before everything else. */
function rangesAfterCell({ sql, isDescending }: OrderTerm, cell: Cell): OrderRange[] {
  if (isDescending) {
    if (cell === null) return [];
    return [
      { sql: `${sql} < ?`, cells: [cell] },
      { sql: `${sql} IS NULL`, cells: [] },
    ];
  }
  return [cell === null ? { sql: `${sql} IS NOT NULL`, cells: [] } : { sql: `${sql} > ?`, cells: [cell] }];
}
