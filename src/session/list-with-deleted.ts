/** Reads every record of a list, deleted ones included, however the deployment answers `is_deleted=true`. */
import type { Page } from '../client/answer.ts';
import { deletedToo } from '../contract/filter.ts';
import type { Resource } from '../contract/resource.ts';
import { isDeleted, type ListCall } from './list.ts';
import type { Row } from './row.ts';
import type { Session } from './session.ts';

/** A page of a list, as the client gives it. */
export type ListPage = Page;

/** A page, and which list it is of: `all` records, or the `deleted` or `active` ones by themselves. */
export interface PageWithDeleted extends Page {
  list: 'all' | 'deleted' | 'active';
}

/** Sessions whose service has shown active and deleted records in one list: it is the same service for every resource. */
const showsAll = new WeakSet<Session>();

/**
 * Yields the pages of all records that match the call. A deployment shows deleted records beside the active ones or by
 * themselves: what tells is a page with an active record on it, not the setting. Without one, active records are listed
 * after the deleted ones; a record that is deleted between the two lists is on neither. With `isAllKnown`, the
 * deployment is known to show both.
 */
export async function* listWithDeleted(
  session: Session,
  { operation, query }: ListCall,
  { isAllKnown = false } = {},
): AsyncGenerator<PageWithDeleted> {
  const pagesOf = (filters: Readonly<Record<string, string>>) =>
    session.list({ operation, query: { ...query, filters } }, { isWanted: true }).pages();
  const filter = deletedToo(operation.resource.filters);
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
 * deleted ones are listed once more in the end, for those that were deleted meanwhile. `onPage` is called with every page.
 */
export async function* recordsWithDeleted(
  session: Session,
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
  return deletedToo(filters) !== undefined;
}
