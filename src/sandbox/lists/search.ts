/** A page of a list: its rows, whether there are more, and how many there are. */
import type { Database } from '../../storage/database.ts';
import { quoted } from '../../storage/quoted.ts';
import { placeAt } from '../store/blocks.ts';
import type { StoredRow } from '../store/cells.ts';
import type { Table } from '../store/tables.ts';
import type { Variant } from '../variant.ts';
import { bookmarksOf } from './bookmarks.ts';
import { wantedState } from './conditions.ts';
import { countOf, numbersOf, rowsOf, type Search, searchFor, signatureOf } from './matches.ts';
import { behind } from './order.ts';
import type { ListQuery } from './query.ts';

/** Matches are counted up to here; a list with more of them tells no total, so that large lists stay as quick as small ones. */
const mostCounted = 1000;

export interface Page {
  rows: StoredRow[];
  hasNext: boolean;
  /** Undefined where there are too many to count. */
  total: number | undefined;
}

export function searchPage(
  database: Database,
  table: Table,
  query: ListQuery,
  variant: Pick<Variant, 'wire.page_size' | 'wire.deleted_filter'>,
): Page {
  const pageSize = variant['wire.page_size'];
  const search = searchFor(table, query, wantedState(query, variant['wire.deleted_filter']));
  const offset = (query.page - 1) * pageSize;
  // One more tells whether there is a next page.
  const found = rowsFrom(database, search, offset, pageSize + 1);
  const rows = found.slice(0, pageSize);
  const hasNext = found.length > pageSize;
  const isWithin = rows.length > 0 || offset === 0;
  const total =
    keptCount(database, search) ?? (isWithin && !hasNext ? offset + rows.length : counted(database, search));
  return { rows, hasNext, total };
}

/** Where nothing is asked but whether records are deleted, the number is known. */
function keptCount(database: Database, { table, isPlain, wanted }: Search): number | undefined {
  if (!isPlain) return undefined;
  const row = database.get('SELECT active, deleted FROM sandbox_counts WHERE name = ?', table.name);
  const [active, deleted] = [Number(row?.active), Number(row?.deleted)];
  return { active, deleted, any: active + deleted }[wanted];
}

function counted(database: Database, search: Search): number | undefined {
  const number = countOf(database, search, mostCounted + 1);
  return number > mostCounted ? undefined : number;
}

/** At most so many rows from a position on, counted from 0. */
function rowsFrom(database: Database, search: Search, position: number, limit: number): StoredRow[] {
  if (isCounted(search)) return rowsByBlocks(database, search, position, limit);
  if (position > 0 && isSearchedByText(search)) return rowsByNumbers(database, search, position, limit);
  const rows = rowsByBookmark(database, search, position, limit);
  const next = rows[limit - 2];
  if (rows.length === limit && next) keepBookmark(database, search, position + limit - 1, next);
  return rows;
}

/** Whether the blocks of the table say where a page begins. */
function isCounted({ isPlain, isInOrder, wanted }: Search): boolean {
  return isPlain && isInOrder && wanted !== 'deleted';
}

function rowsByBlocks(database: Database, search: Search, position: number, limit: number): StoredRow[] {
  const place = position === 0 ? { skip: 0 } : placeAt(database, search, position);
  return place ? rowsOf(database, search, { ...place, limit }) : [];
}

/** What the text index finds can’t be entered in its middle: so many are found at once. */
const stretchOfNumbers = 2000;

function isSearchedByText({ arms: [first], isInOrder }: Search): boolean {
  return isInOrder && first?.isOpenedFromStart === true;
}

function rowsByNumbers(database: Database, search: Search, position: number, limit: number): StoredRow[] {
  const wanted: number[] = [];
  for (let at = position; wanted.length < limit; ) {
    const numbers = numbersAt(database, search, Math.floor(at / stretchOfNumbers));
    const found = numbers.slice(at % stretchOfNumbers, (at % stretchOfNumbers) + limit - wanted.length);
    wanted.push(...found);
    at += found.length;
    if (found.length === 0 || numbers.length < stretchOfNumbers) break;
  }
  const own = quoted(search.table.name);
  return database.all(
    `SELECT t.* FROM json_each(?) m CROSS JOIN ${own} t ON t.seq = m.value`,
    JSON.stringify(wanted),
  );
}

function numbersAt(database: Database, search: Search, index: number): readonly number[] {
  const bookmarks = bookmarksOf(database);
  const list = signatureOf(search);
  const known = bookmarks.numbers(list, index);
  if (known) return known;
  const before = index === 0 ? undefined : bookmarks.numbers(list, index - 1)?.at(-1);
  const start = before === undefined ? { skip: index * stretchOfNumbers } : { after: before, skip: 0 };
  const numbers = numbersOf(database, search, { ...start, limit: stretchOfNumbers });
  bookmarks.keepNumbers(list, index, numbers);
  return numbers;
}

function keepBookmark(database: Database, search: Search, position: number, row: StoredRow): void {
  const mark = Object.fromEntries(search.terms.map(({ column }) => [column, row[column] ?? null]));
  bookmarksOf(database).keep(signatureOf(search), position, mark);
}

/** From the last place before it that is known; without any, from the beginning. */
function rowsByBookmark(database: Database, search: Search, position: number, limit: number): StoredRow[] {
  const mark = position === 0 ? undefined : bookmarksOf(database).before(signatureOf(search), position);
  if (!mark) return rowsOf(database, search, { skip: position, limit });
  let skip = position - mark.position;
  if (search.isInOrder) return rowsOf(database, search, { after: Number(mark.row.seq), skip, limit });
  const rows: StoredRow[] = [];
  const stretches = behind(search.terms, mark.row);
  for (const [index, stretch] of stretches.entries()) {
    if (rows.length === limit) break;
    const isLast = index === stretches.length - 1;
    const found = rowsOf(database, search, { stretch, skip, limit: limit - rows.length });
    rows.push(...found);
    // Only a stretch that ends before the place is counted.
    if (found.length > 0 || isLast) skip = 0;
    else skip -= countOf(database, search, skip, { stretch });
  }
  return rows;
}
