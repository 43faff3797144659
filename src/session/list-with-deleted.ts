/** Reads the lists of active and deleted records, which services return together or separately. */
import { Failure } from '../base/errors.ts';
import { deletedFilter } from '../contract/filter.ts';
import type { Resource } from '../contract/resource.ts';
import { deletedUnknown, isDeleted, type ListCall, type ListPage, type Lists, orRefusal } from './list.ts';
import type { Row } from './row.ts';

/** A page, and whether it belongs to a list of `all`, `deleted` or `active` records. */
export interface PageWithDeleted extends ListPage {
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

/** Returns whether the list can contain deleted records. */
export function canListDeleted({ filters }: Resource): boolean {
  return deletedFilter(filters) !== undefined;
}
