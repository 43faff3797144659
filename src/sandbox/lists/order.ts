/** The order of a list, and where in it a record stands. */
import type { Match } from '../../contract/filter.ts';
import { quoted } from '../../storage/quoted.ts';
import type { Cell, StoredRow } from '../store/cells.ts';
import type { State } from './conditions.ts';
import type { ListQuery, Sort } from './query.ts';

/** As asked; else by the moment that is bounded or of the deletion, so that an index gives both; else as created. */
export function sortsOf(
  { sort, filters }: Pick<ListQuery, 'sort' | 'filters'>,
  wanted: State,
): readonly Sort[] {
  if (sort.length > 0) return sort;
  const bounded = filters.find(({ filter }) => bounds.includes(filter.match))?.filter.on;
  const fieldName = bounded ?? (wanted === 'deleted' ? 'deleted_at' : undefined);
  return fieldName === undefined ? [] : [{ fieldName, isDescending: false }];
}

const bounds: readonly Match[] = ['after', 'before', 'on_day'];

/** One thing that records are ordered by, in SQL. */
export interface Term {
  sql: string;
  column: string;
  isDescending: boolean;
}

/** What is equal otherwise comes as it was created. */
export function termsOf(sorts: readonly Sort[]): Term[] {
  const [first] = sorts;
  const own = { fieldName: 'seq', isDescending: first?.isDescending ?? false };
  return [...sorts, own].map(({ fieldName, isDescending }) => ({
    sql: `t.${quoted(fieldName)}`,
    column: fieldName,
    isDescending,
  }));
}

export function directionOf({ isDescending }: Pick<Term, 'isDescending'>): string {
  return isDescending ? ' DESC' : '';
}

export interface Stretch {
  sql: string;
  cells: Cell[];
}

/**
 * What comes behind a record in some order, as stretches of it: those that are equal in all terms but the last, then
 * in all but the last two, and so on. Each is one range of the index that has the order, and they follow one another.
 */
export function behind(terms: readonly Term[], row: StoredRow): Stretch[] {
  return terms.flatMap((_, index) => {
    const equal = terms.slice(0, terms.length - 1 - index);
    const term = terms[equal.length];
    if (!term) return [];
    const same = equal.map(({ sql, column }) => ({ sql: `${sql} IS ?`, cell: row[column] ?? null }));
    return beyond(term, row[term.column] ?? null).map(({ sql, cells }) => ({
      sql: [...same.map((each) => each.sql), sql].join(' AND '),
      cells: [...same.map(({ cell }) => cell), ...cells],
    }));
  });
}

/** Nothing comes before everything else, as SQLite has it. */
function beyond({ sql, isDescending }: Term, cell: Cell): Stretch[] {
  if (isDescending) {
    if (cell === null) return [];
    return [
      { sql: `${sql} < ?`, cells: [cell] },
      { sql: `${sql} IS NULL`, cells: [] },
    ];
  }
  return [cell === null ? { sql: `${sql} IS NOT NULL`, cells: [] } : { sql: `${sql} > ?`, cells: [cell] }];
}
