/** Lists, read as far as they are asked for: by pages, record by record, or with their deleted records. */

import { Failure } from '../base/errors.ts';
import type { Page, Row } from '../client/answer.ts';
import type { Answered, Client } from '../client/client.ts';
import type { Call, ListQuery } from '../client/request.ts';
import { deletedFilter } from '../contract/filter.ts';
import type { Operation } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';

/** A list with its query. */
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

/** Returns whether a record says when it was deleted. */
export function isDeleted({ deleted_at: at }: Row): boolean {
  return typeof at === 'string' && at !== '';
}

/** How far a list is read for the deleted ones among its records, and how many of them make a page. */
const maxPagesSearched = 20;
const pageOfDeletedRows = 50;

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

/** A list that is read as its pages or rows are asked for. */
export interface Reading {
  /** Page after page; nothing is asked for ahead, unless all is wanted. */
  pages(): AsyncGenerator<Page>;
  /** Their rows, as far as the list is asked for. */
  batches(): AsyncGenerator<readonly Row[]>;
  /** The same, row after row. */
  rows(): AsyncGenerator<Row>;
  facts(): ListFacts;
}

/** What lists are read with: a session, or a client that stays within its scopes. */
export interface Lists {
  list(call: ListCall, reach?: Reach): Pick<Reading, 'pages'>;
  get(call: Call): Promise<Answered>;
}

/** Returns a list, of which nothing has been read yet. */
export function readList(
  client: Pick<Client, 'pages'>,
  call: ListCall,
  { limit, isFirstPageOnly = false, isWanted = false, deletedOnly = false }: Reach = {},
  deletedFilter: DeletedFilter = 'include',
): Reading {
  const all = limit ?? Infinity;
  const byPage = typeof isWanted === 'function' ? (page: Page) => (isWanted(page) ? all : 0) : undefined;
  const wanted = isFirstPageOnly || isWanted === false ? undefined : (byPage ?? all);
  const request = { ...(deletedOnly ? askingForDeleted(call) : call), wanted };
  let last: Page | undefined;
  let pageCount = 0;
  let count = 0;
  let isCut = false;

  async function* pages() {
    let found = 0;
    for await (const page of client.pages(request)) {
      last = page;
      pageCount++;
      const rows = deletedOnly ? page.rows.filter(isDeleted) : page.rows;
      found += rows.length;
      yield { ...page, rows };
      if (!isFirstPageOnly) continue;
      const isSearching = deletedOnly && deletedFilter === 'include';
      if (!isSearching || found >= pageOfDeletedRows || pageCount >= maxPagesSearched) return;
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

/** A reading of several records by their ids. */
export interface EachReading extends Reading {
  /** The records that could not be read, in their order. */
  failures(): readonly { id: string; failure: Failure }[];
}

/**
 * Reads several records by their ids, one after the other. A record that doesn't exist or can't be seen is skipped and
 * reported by `failures`; a failure that every other record would meet as well is thrown.
 */
export function readEach(
  session: Pick<Lists, 'get'>,
  calls: readonly Call[],
  onFailure: (failure: Failure) => void,
): EachReading {
  const failures: { id: string; failure: Failure }[] = [];
  let count = 0;

  async function* pages(): AsyncGenerator<Page> {
    for (const [index, call] of calls.entries()) {
      try {
        const { record, body } = await session.get(call);
        count++;
        yield { number: index + 1, rows: [record], body };
      } catch (error) {
        if (!(error instanceof Failure) || !isOfOne(error)) throw error;
        failures.push({ id: call.ids?.[0] ?? '', failure: error });
        onFailure(error);
      }
    }
  }

  async function* batches() {
    for await (const page of pages()) yield page.rows;
  }

  async function* rows() {
    for await (const batch of batches()) yield* batch;
  }

  return {
    pages,
    batches,
    rows,
    facts: () => ({
      count,
      pages: count,
      total: undefined,
      lastPage: undefined,
      isCut: false,
      hasMore: 'no',
    }),
    failures: () => failures,
  };
}

function isOfOne({ category }: Failure): boolean {
  return category === 'not_found' || category === 'refused';
}

/** A page of a list, as the client gives it. */
export type ListPage = Page;

/** A page, and which list it is of: `all` records, or the `deleted` or `active` ones by themselves. */
export interface PageWithDeleted extends Page {
  list: 'all' | 'deleted' | 'active';
}

/** Sessions whose service has shown active and deleted records in one list: it is the same service for every resource. */
const showsAll = new WeakSet<Pick<Lists, 'list'>>();

/**
 * Yields the pages of all records that match the call. A deployment shows deleted records beside the active ones or by
 * themselves: what tells is a page with an active record on it, not the setting. Without one, active records are listed
 * after the deleted ones; a record that is deleted between the two lists is on neither. With `isAllKnown`, the
 * deployment is known to show both.
 */
export async function* listWithDeleted(
  session: Pick<Lists, 'list'>,
  { operation, query }: ListCall,
  { isAllKnown = false } = {},
): AsyncGenerator<PageWithDeleted> {
  const pagesOf = (filters: Readonly<Record<string, string>>) =>
    session.list({ operation, query: { ...query, filters } }, { isWanted: true }).pages();
  const filter = deletedFilter(operation.resource.filters);
  const active = { ...query.filters };
  let isAll = filter === undefined || isAllKnown || showsAll.has(session);
  for await (const page of pagesOf(filter ? { ...active, [filter.name]: 'true' } : active)) {
    if (filter && page.rows.some((row) => !isDeleted(row))) {
      isAll = true;
      showsAll.add(session);
    }
    yield { ...page, list: isAll ? 'all' : 'deleted' };
  }
  if (isAll) return;
  for await (const page of pagesOf(active)) yield { ...page, list: 'active' };
}

/**
 * Yields the records of those pages, each once, batch by batch. Where deleted and active ones are listed by themselves, the
 * deleted ones are listed again in the end, for those that were deleted meanwhile. `onPage` is called with every page.
 */
export async function* recordsWithDeleted(
  session: Pick<Lists, 'list'>,
  call: ListCall,
  onPage?: (page: PageWithDeleted) => void,
): AsyncGenerator<readonly Row[]> {
  const seen = new Set<unknown>();
  const fresh = ({ rows }: PageWithDeleted) => rows.filter(({ id }) => !seen.has(id) && seen.add(id));
  let isDivided = false;
  for await (const page of listWithDeleted(session, call)) {
    onPage?.(page);
    isDivided ||= page.list === 'active';
    yield page.list === 'all' ? page.rows : fresh(page);
  }
  if (!isDivided) return;
  for await (const page of listWithDeleted(session, call)) {
    if (page.list !== 'deleted') return;
    onPage?.(page);
    yield fresh(page);
  }
}

/** Whether the list can be asked for deleted records as well. */
export function showsDeleted({ filters }: Resource): boolean {
  return deletedFilter(filters) !== undefined;
}
