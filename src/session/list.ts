/** A list, read as far as it is asked for. */
import type { Page, Row } from '../client/answer.ts';
import type { Client } from '../client/client.ts';
import type { ListQuery } from '../client/query.ts';
import type { Operation } from '../contract/operation.ts';

export interface ListCall {
  operation: Operation;
  query: ListQuery;
}

/** How much of a list is asked for: everything, unless one of these says otherwise. */
export interface Reach {
  /** No more rows than this. */
  limit?: number | undefined;
  isFirstPageOnly?: boolean | undefined;
  /** All that is asked for will be read, so that pages may be asked for ahead; or whether it will, as a page shows. */
  isWanted?: boolean | ((page: Page) => boolean) | undefined;
  /**
   * Deleted records alone. A service shows them beside the active ones or by themselves: what tells them is their
   * `deleted_at`, never the filter. One that shows both is read on for some pages until there is a page of them.
   */
  deletedOnly?: boolean | undefined;
}

/** How a service answers `is_deleted`. */
export type DeletedFilter = 'include' | 'only';

/** A record that says when it was deleted. */
export function isDeleted({ deleted_at: at }: Row): boolean {
  return typeof at === 'string' && at !== '';
}

/** How far a list is read for the deleted ones among its records, and how many of them make a page. */
const mostSearched = 20;
const pageOfDeleted = 50;

/** What is known of a list once rows have been read. */
export interface ListFacts {
  /** Rows so far, and the pages that they took. */
  count: number;
  pages: number;
  /** The records of the whole list, and its last page, where the service says so. */
  total: number | undefined;
  lastPage: number | undefined;
  /** Whether `limit` left rows out. */
  isCut: boolean;
  /** Whether there is more than was read: some services don't say. */
  hasMore: 'yes' | 'no' | 'unknown';
}

export interface Reading {
  /** Page after page; nothing is asked for ahead, unless all is wanted. */
  pages(): AsyncGenerator<Page>;
  /** Their rows, as far as the list is asked for. */
  batches(): AsyncGenerator<readonly Row[]>;
  /** The same, row after row. */
  rows(): AsyncGenerator<Row>;
  facts(): ListFacts;
}

export function readList(
  client: Pick<Client, 'pages'>,
  call: ListCall,
  { limit, isFirstPageOnly = false, isWanted = false, deletedOnly = false }: Reach = {},
  deletedFilter: DeletedFilter = 'include',
): Reading {
  const all = limit ?? Infinity;
  const byPage = typeof isWanted === 'function' ? (page: Page) => (isWanted(page) ? all : 0) : undefined;
  const wanted = isFirstPageOnly || isWanted === false ? undefined : (byPage ?? all);
  const asked = { ...(deletedOnly ? askingForDeleted(call) : call), wanted };
  let last: Page | undefined;
  let pageCount = 0;
  let count = 0;
  let isCut = false;

  async function* pages() {
    let found = 0;
    for await (const page of client.pages(asked)) {
      last = page;
      pageCount++;
      const rows = deletedOnly ? page.rows.filter(isDeleted) : page.rows;
      found += rows.length;
      yield { ...page, rows };
      if (!isFirstPageOnly) continue;
      const isSearching = deletedOnly && deletedFilter === 'include';
      if (!isSearching || found >= pageOfDeleted || pageCount >= mostSearched) return;
    }
  }

  async function* batches() {
    for await (const page of pages()) {
      const room = limit === undefined ? page.rows.length : limit - count;
      const rows = page.rows.slice(0, room);
      count += rows.length;
      if (limit !== undefined && count >= limit) {
        isCut = rows.length < page.rows.length || mayHaveMore(page) === 'yes';
        if (rows.length > 0) yield rows;
        return;
      }
      yield rows;
    }
  }

  async function* rows() {
    for await (const batch of batches()) yield* batch;
  }

  const facts = (): ListFacts => ({
    count,
    pages: pageCount,
    total: last?.total,
    lastPage: last?.lastPage,
    isCut,
    hasMore: isCut ? 'yes' : isFirstPageOnly && last ? mayHaveMore(last) : 'no',
  });

  return { pages, batches, rows, facts };
}

function askingForDeleted({ operation, query }: ListCall): ListCall {
  return { operation, query: { ...query, filters: { ...query.filters, is_deleted: 'true' } } };
}

/** Whether there is a page after this one: some services say nothing of it. */
function mayHaveMore({ number, rows, lastPage, hasNext }: Page): 'yes' | 'no' | 'unknown' {
  if (rows.length === 0) return 'no';
  if (lastPage !== undefined) return number < lastPage ? 'yes' : 'no';
  if (hasNext === undefined) return 'unknown';
  return hasNext ? 'yes' : 'no';
}
