/** Reads lists by pages or row by row, without deleted records that were not asked for. */

import { deletedFilter } from '../../api/contract/filter.ts';
import type { Operation } from '../../api/contract/operation.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { Failure } from '../../base/errors.ts';
import type { Client, RecordResponse } from '../client/client.ts';
import type { Call, ListQuery } from '../client/request.ts';
import type { ListPage, Row } from '../client/response.ts';

export type { ListPage } from '../client/response.ts';

export interface ListCall {
  operation: Operation;
  query: ListQuery;
}

/** The part of a list to read; the default is everything. */
export interface ListRange {
  /** The maximum number of rows. */
  limit?: number | undefined;
  isFirstPageOnly?: boolean | undefined;
  /**
   * Whether a list that isn't part of the API document, and that the service doesn't have, is a failure. By default, it is
   * empty: the account has no such records.
   */
  mustExist?: boolean | undefined;
  /** Whether all rows will be read, so that pages can be prefetched; a function decides by the page. */
  readsAll?: boolean | ((page: ListPage) => boolean) | undefined;
  /**
   * Only deleted records. Services list them together with active ones or separately, so they are recognized by
   * `deleted_at`. If a service lists them together, more pages are read to fill the first page.
   */
  deletedOnly?: boolean | undefined;
  /** Also deleted records that no filter asks for. By default they are left out, whatever the service sends. */
  withDeleted?: boolean | undefined;
}

/** Returns whether the service doesn't have the list of a resource that isn't part of the API document. */
export function isMissingList(error: unknown, { undocumented }: Resource): boolean {
  return undocumented === true && error instanceof Failure && error.details.status === 404;
}

/** Returns whether the service refused a list (400, 403, 404), so that other lists may still be read. */
export function isRefusedList(error: unknown): error is Failure {
  return error instanceof Failure && ['not_allowed', 'not_found', 'refused'].includes(error.category);
}

/** How a service handles the filter `is_deleted`. */
export type DeletedFilter = 'include' | 'only';

/** How a service lists deleted records. */
export interface DeletedStyle {
  deletedFilter?: DeletedFilter;
  /** Returns whether lists are known to contain deleted records that no filter asks for. */
  listsDeleted?(): boolean;
}

/** Returns whether a record has a deletion date. */
export function isDeleted({ deleted_at: deletedAt }: Row): boolean {
  return typeof deletedAt === 'string' && deletedAt !== '';
}

/** Returns whether the filters of a query ask for deleted records: `is_deleted=true` or `deleted_on`. */
export function asksForDeleted({ filters = {} }: ListQuery): boolean {
  return Object.entries(filters).some(
    ([name, value]) => name.includes('deleted') && value !== 'false' && value !== '0',
  );
}

/**
 * The maximum number of pages to read for a first page, if the rows of the first are left out, and the number of deleted
 * records after which a search for them ends.
 */
const maxPagesSearched = 20;
const minDeletedRows = 50;

/** The number of rows read so far, and the size of the whole list. */
export interface ListSummary {
  /** The number of rows so far, and of their pages. */
  count: number;
  pages: number;
  /** The number of deleted records on these pages that were left out. */
  leftOut: number;
  /**
   * The number of records of the whole list, and its last page, if the service reports them. A number that includes
   * deleted records is unknown.
   */
  total: number | undefined;
  lastPage: number | undefined;
  /** Whether `limit` excluded rows. */
  isLimited: boolean;
  /** Whether there are more rows; some services don't say. */
  hasMore: 'yes' | 'no' | 'unknown';
}

/** A list that is read while its pages or rows are iterated. */
export interface ListReading {
  /** Yields the pages. Pages are prefetched only if all rows will be read. */
  pages(): AsyncGenerator<ListPage>;
  /** Yields the rows of each page. */
  batches(): AsyncGenerator<readonly Row[]>;
  rows(): AsyncGenerator<Row>;
  /** Returns the number of rows read so far, and the size of the whole list. */
  summary(): ListSummary;
}

/** Reads lists and records: a session, or a client that checks the scopes of the token. */
export interface Lists {
  list(call: ListCall, range?: ListRange): Pick<ListReading, 'pages'>;
  /** Whether lists are known to contain deleted records that no filter asks for. */
  readonly listsDeleted?: boolean;
  get(call: Call): Promise<RecordResponse>;
}

/** Returns a list without reading anything yet. */
export function readList(
  client: Pick<Client, 'pages'>,
  call: ListCall,
  {
    limit,
    isFirstPageOnly = false,
    readsAll = false,
    deletedOnly = false,
    withDeleted = asksForDeleted(call.query),
  }: ListRange = {},
  { deletedFilter = 'include', listsDeleted = () => false }: DeletedStyle = {},
): ListReading {
  const maxRows = limit ?? Infinity;
  const maxRowsByPage =
    typeof readsAll === 'function' ? (page: ListPage) => (readsAll(page) ? maxRows : 0) : undefined;
  const expectedRows = isFirstPageOnly || readsAll === false ? undefined : (maxRowsByPage ?? maxRows);
  const isWanted = (row: Row) => (deletedOnly || !withDeleted ? isDeleted(row) === deletedOnly : true);
  const minFirstRows = !deletedOnly ? 1 : deletedFilter === 'include' ? minDeletedRows : 0;
  let lastRead: ListPage | undefined;
  let pageCount = 0;
  let count = 0;
  let leftOut = 0;
  let isLimited = false;

  /** If the service refuses the filter for deleted records, they are searched for in the list without it. */
  async function* requestedPages() {
    const plainCall = { ...call, expectedRows, isUsed: isWanted };
    if (!deletedOnly) return yield* client.pages(plainCall);
    let isRefused: Failure | undefined;
    for await (const page of orRefusal(client.pages({ ...plainCall, ...withDeletedFilter(call) }))) {
      if (page instanceof Failure) isRefused = page;
      else yield page;
    }
    if (!isRefused) return;
    let hasDeleted = listsDeleted();
    for await (const page of client.pages(plainCall)) {
      hasDeleted ||= page.rows.some(isDeleted);
      yield page;
    }
    if (!hasDeleted) throw deletedUnknown(isRefused, call);
  }

  async function* pages() {
    let wantedCount = 0;
    for await (const page of requestedPages()) {
      lastRead = page;
      pageCount++;
      const rows = page.rows.filter(isWanted);
      wantedCount += rows.length;
      leftOut += page.rows.length - rows.length;
      yield { ...page, rows };
      const isFilled = wantedCount >= minFirstRows || page.rows.length === 0;
      if (isFirstPageOnly && (isFilled || pageCount >= maxPagesSearched)) return;
    }
  }

  async function* batches() {
    for await (const page of pages()) {
      const remainingRows = limit === undefined ? page.rows.length : limit - count;
      const rows = page.rows.slice(0, remainingRows);
      count += rows.length;
      if (limit !== undefined && count >= limit) {
        isLimited = rows.length < page.rows.length || hasNextPage(page) === 'yes';
        if (rows.length > 0) yield rows;
        return;
      }
      yield rows;
    }
  }

  async function* rows() {
    for await (const batch of batches()) yield* batch;
  }

  const summary = (): ListSummary => ({
    count,
    pages: pageCount,
    leftOut,
    total: leftOut > 0 || (!withDeleted && listsDeleted()) ? undefined : lastRead?.total,
    lastPage: lastRead?.lastPage,
    isLimited,
    hasMore: isLimited ? 'yes' : isFirstPageOnly && lastRead ? hasNextPage(lastRead) : 'no',
  });

  return { pages, batches, rows, summary };
}

/** Yields pages, or the refusal (400, 422) of the first page, for which the filter may be the reason. */
async function* orRefusal<Page>(pages: AsyncGenerator<Page>): AsyncGenerator<Page | Failure> {
  let hasBegun = false;
  try {
    for await (const page of pages) {
      hasBegun = true;
      yield page;
    }
  } catch (error) {
    if (hasBegun || !(error instanceof Failure) || error.category !== 'refused') throw error;
    yield error;
  }
}

/** Returns the failure of a list that is complete except for deleted records, because the service refused their filter. */
function deletedUnknown({ category, message, details }: Failure, { operation }: ListCall): Failure {
  return new Failure(
    category,
    `${message} Without the filter for deleted records, its list of ${operation.resource.nouns} has none, so they may be missing.`,
    { ...details, isIncomplete: true },
  );
}

function withDeletedFilter({ operation, query }: ListCall): ListCall {
  return { operation, query: { ...query, filters: { ...query.filters, is_deleted: 'true' } } };
}

/** Returns whether another page follows; `unknown` if the service doesn't say. */
function hasNextPage({ number, rows, lastPage, hasNext }: ListPage): 'yes' | 'no' | 'unknown' {
  if (rows.length === 0) return 'no';
  if (lastPage !== undefined) return number < lastPage ? 'yes' : 'no';
  if (hasNext === undefined) return 'unknown';
  return hasNext ? 'yes' : 'no';
}

/** Several records that are read by ID while they are iterated. */
export interface RecordsById extends ListReading {
  /** The records that could not be read, in order. */
  failures(): readonly { id: string; failure: Failure }[];
}

/**
 * Reads several records by ID, one after the other. A record that doesn't exist or can't be read is skipped and
 * reported in `failures`; a failure that every other record would also have is thrown.
 */
export function readEach(
  session: Pick<Lists, 'get'>,
  calls: readonly Call[],
  onFailure: (failure: Failure) => void,
): RecordsById {
  const failures: { id: string; failure: Failure }[] = [];
  let count = 0;

  async function* pages(): AsyncGenerator<ListPage> {
    for (const [index, call] of calls.entries()) {
      try {
        const { record, body } = await session.get(call);
        count++;
        yield { number: index + 1, rows: [record], body };
      } catch (error) {
        if (!(error instanceof Failure) || !concernsOneRecord(error)) throw error;
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
    summary: () => ({
      count,
      pages: count,
      leftOut: 0,
      total: undefined,
      lastPage: undefined,
      isLimited: false,
      hasMore: 'no',
    }),
    failures: () => failures,
  };
}

/** Returns whether a failure to read a record says nothing about other records. */
export function concernsOneRecord({ category }: Failure): boolean {
  return category === 'not_found' || category === 'refused';
}

/** A page, and whether it belongs to a list of `all`, `deleted` or `active` records. */
interface PageWithDeleted extends ListPage {
  list: 'all' | 'deleted' | 'active';
}

/** Sessions whose service lists active and deleted records together, which applies to every resource. */
const sessionsListingAll = new WeakSet<Pick<Lists, 'list'>>();

/**
 * Yields the pages of all records that match the call. Services list deleted records together with active ones or
 * separately; a page with an active record shows which. If separately, active records are listed afterwards, and a record
 * that is deleted between the two lists is in neither. `isAllKnown`: the service is known to list them together. If the
 * service refuses the filter for deleted records and lists none without it, calls `onMissing` of the query, or throws.
 */
export async function* listWithDeleted(
  session: Pick<Lists, 'list' | 'listsDeleted'>,
  { operation, query }: ListCall,
  { isAllKnown = false } = {},
): AsyncGenerator<PageWithDeleted> {
  const pagesOf = (filters: Readonly<Record<string, string>>) =>
    session.list({ operation, query: { ...query, filters } }, { readsAll: true, withDeleted: true }).pages();
  const filter = deletedFilter(operation.resource.filters);
  const activeFilters = { ...query.filters };
  let isAll = filter === undefined || isAllKnown || sessionsListingAll.has(session);
  let refusal: Failure | undefined;
  const deletedPages = pagesOf(filter ? { ...activeFilters, [filter.name]: 'true' } : activeFilters);
  for await (const page of filter ? orRefusal(deletedPages) : deletedPages) {
    if (page instanceof Failure) {
      refusal = page;
      continue;
    }
    if (filter && page.rows.some((row) => !isDeleted(row))) {
      isAll = true;
      sessionsListingAll.add(session);
    }
    yield { ...page, list: isAll ? 'all' : 'deleted' };
  }
  if (isAll && !refusal) return;
  let hasDeleted = false;
  for await (const page of pagesOf(activeFilters)) {
    hasDeleted ||= page.rows.some(isDeleted);
    yield { ...page, list: refusal ? 'all' : 'active' };
  }
  if (!refusal || hasDeleted || session.listsDeleted) return;
  if (!query.onMissing) throw deletedUnknown(refusal, { operation, query });
  query.onMissing(['deleted records']);
}

/**
 * Yields the records of `listWithDeleted` in batches, each record once. If deleted and active records are listed
 * separately, deleted ones are listed again at the end, to find those that were deleted meanwhile. `onPage` is called
 * for each page.
 */
export async function* recordsWithDeleted(
  session: Pick<Lists, 'list' | 'listsDeleted'>,
  call: ListCall,
  onPage?: (page: PageWithDeleted) => void,
): AsyncGenerator<readonly Row[]> {
  const seenIds = new Set<unknown>();
  const withoutSeen = ({ rows }: PageWithDeleted) =>
    rows.filter(({ id }) => !seenIds.has(id) && seenIds.add(id));
  let isSeparate = false;
  for await (const page of listWithDeleted(session, call)) {
    onPage?.(page);
    isSeparate ||= page.list === 'active';
    yield page.list === 'all' ? page.rows : withoutSeen(page);
  }
  if (!isSeparate) return;
  for await (const page of listWithDeleted(session, call)) {
    if (page.list !== 'deleted') return;
    onPage?.(page);
    yield withoutSeen(page);
  }
}

export function canListDeleted({ filters }: Resource): boolean {
  return deletedFilter(filters) !== undefined;
}
