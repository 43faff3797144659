/** Determines the order of a list, and the ranges after a record in it. */
import type { Match } from '../../contract/filter.ts';
import { quoteName } from '../../storage/quote-name.ts';
import type { Cell, StoredRow } from '../store/cells.ts';
import type { DeletionState } from './conditions.ts';
import type { ListQuery, Sort } from './query.ts';

/**
 * Returns the requested order. Without one, returns the order of the timestamp that a filter bounds, or of deletion, so
 * that one index is used for the filter and the order. Empty for the order of creation.
 */
export function sortsOf(
  { sort, filters }: Pick<ListQuery, 'sort' | 'filters'>,
  state: DeletionState,
): readonly Sort[] {
  if (sort.length > 0) return sort;
  const rangeField = filters.find(({ filter }) => rangeMatches.includes(filter.match))?.filter.on;
  const fieldName = rangeField ?? (state === 'deleted' ? 'deleted_at' : undefined);
  return fieldName === undefined ? [] : [{ fieldName, isDescending: false }];
}

const rangeMatches: readonly Match[] = ['after', 'before', 'on_day'];

/** One expression of an order. */
export interface OrderTerm {
  sql: string;
  column: string;
  isDescending: boolean;
}

/** Returns the expressions of an order. Equal records are ordered by creation. */
export function termsOf(sorts: readonly Sort[]): OrderTerm[] {
  const [firstSort] = sorts;
  const creationSort = { fieldName: 'seq', isDescending: firstSort?.isDescending ?? false };
  return [...sorts, creationSort].map(({ fieldName, isDescending }) => ({
    sql: `t.${quoteName(fieldName)}`,
    column: fieldName,
    isDescending,
  }));
}

/** Returns the direction in SQL. */
export function directionOf({ isDescending }: Pick<OrderTerm, 'isDescending'>): string {
  return isDescending ? ' DESC' : '';
}

/** A range of an order, as an SQL condition. */
export interface OrderRange {
  sql: string;
  cells: Cell[];
}

/**
 * Returns the ranges after a record in an order: first the records that are equal in all terms except the last, then in
 * all except the last two, and so on. Each is one range of the order's index, and they are in the list's order.
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
      sql: [...equalConditions.map((condition) => condition.sql), sql].join(' AND '),
      cells: [...equalConditions.map(({ cell }) => cell), ...cells],
    }));
  });
}

/** Returns the ranges of cells after a cell. In SQLite, null is lower than all other values. */
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
