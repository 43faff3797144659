/** Finds a page of a list: its rows, whether there is a next page, and the total. */
import type { Database } from '../../storage/database.ts';
import type { StoredRow } from '../store/cells.ts';
import type { Table } from '../store/tables.ts';
import type { Variant } from '../variant.ts';
import { bookmarksOf } from './bookmarks.ts';
import { deletionStateOf } from './conditions.ts';
import { countMatches, type ListSearch, planSearch, rowsInRange, searchKey } from './matches.ts';
import { rangesAfter } from './order.ts';
import type { ListQuery } from './query.ts';

/** The maximum number of counted matches. Longer lists have no total, so that they are as fast as short lists. */
const maxCountedMatches = 1000;

/** A page of rows. */
export interface RowPage {
  rows: StoredRow[];
  hasNext: boolean;
  /** The number of matches; undefined if there are too many to count. */
  total: number | undefined;
}

/** Returns the page of a query. */
export function searchPage(
  database: Database,
  table: Table,
  query: ListQuery,
  variant: Pick<Variant, 'wire.deleted_filter' | 'wire.listed'>,
): RowPage {
  const { pageSize } = query;
  const search = planSearch(table, query, deletionStateOf(query, variant));
  const offset = (query.page - 1) * pageSize;
  // One more row is read, to find out whether there is a next page.
  const foundRows = rowsFrom(database, search, offset, pageSize + 1);
  const rows = foundRows.slice(0, pageSize);
  const hasNext = foundRows.length > pageSize;
  const isWithinList = rows.length > 0 || offset === 0;
  const total =
    storedCount(database, search) ??
    (isWithinList && !hasNext ? offset + rows.length : countUpToLimit(database, search));
  return { rows, hasNext, total };
}

/** Returns the stored count; undefined unless the deletion state is the only condition. */
function storedCount(database: Database, { table, isStateOnly, state }: ListSearch): number | undefined {
  if (!isStateOnly) return undefined;
  const row = database.get('SELECT active, deleted FROM sandbox_counts WHERE name = ?', table.name);
  const [active, deleted] = [Number(row?.active), Number(row?.deleted)];
  return { active, deleted, any: active + deleted }[state];
}

function countUpToLimit(database: Database, search: ListSearch): number | undefined {
  const count = countMatches(database, search, maxCountedMatches + 1);
  return count > maxCountedMatches ? undefined : count;
}

/** Returns up to `limit` rows from a position, counted from 0. */
function rowsFrom(database: Database, search: ListSearch, position: number, limit: number): StoredRow[] {
  const rows = rowsByBookmark(database, search, position, limit);
  const lastRow = rows[limit - 2];
  if (rows.length === limit && lastRow) addBookmark(database, search, position + limit - 1, lastRow);
  return rows;
}

function addBookmark(database: Database, search: ListSearch, position: number, row: StoredRow): void {
  const bookmarkRow = Object.fromEntries(search.terms.map(({ column }) => [column, row[column] ?? null]));
  bookmarksOf(database).add(searchKey(search), position, bookmarkRow);
}

/** Returns up to `limit` rows from a position. Starts at the last bookmark before it, or at the beginning of the list. */
function rowsByBookmark(
  database: Database,
  search: ListSearch,
  position: number,
  limit: number,
): StoredRow[] {
  const bookmark = position === 0 ? undefined : bookmarksOf(database).findBefore(searchKey(search), position);
  if (!bookmark) return rowsInRange(database, search, { skip: position, limit });
  let skip = position - bookmark.position;
  if (search.isCreationOrder)
    return rowsInRange(database, search, { after: Number(bookmark.row.seq), skip, limit });
  const rows: StoredRow[] = [];
  const ranges = rangesAfter(search.terms, bookmark.row);
  for (const [index, range] of ranges.entries()) {
    if (rows.length === limit) break;
    const isLast = index === ranges.length - 1;
    const foundRows = rowsInRange(database, search, { range, skip, limit: limit - rows.length });
    rows.push(...foundRows);
    // Ranges that end before the position are counted, because fewer rows must be skipped in the next range.
    if (foundRows.length > 0 || isLast) skip = 0;
    else skip -= countMatches(database, search, skip, { range });
  }
  return rows;
}
