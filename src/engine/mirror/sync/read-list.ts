/**
 * Reads a resource's list for a mirror: deleted records may need a second pass, and an interrupted reading can be
 * resumed.
 */

import { isDeleted, type ListReading, listWithDeleted } from '../../../account/session/list.ts';
import { isRow, type Row } from '../../../account/session/row.ts';
import type { Session } from '../../../account/session/session.ts';
import { requireOperation } from '../../../api/contract/operation.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { ExactNumber } from '../../../base/number-text.ts';
import type { MirroredResource } from '../schema/derive.ts';
import type { State } from '../schema/state.ts';

type SessionPage = ReturnType<ListReading['pages']> extends AsyncGenerator<infer Page> ? Page : never;

export interface MirrorListPage {
  /**
   * The page number, from 1, in the pass that returns all records. Undefined for a page from which reading can't be
   * resumed.
   */
  number?: number | undefined;
  rows: readonly Row[];
  /** The time at which the page was sent, by the service's clock: the HTTP date. */
  date?: string | undefined;
  total?: number | undefined;
  /** The number of records in all passes of this reading. */
  expected?: number | undefined;
}

export interface MirrorListRequest {
  session: Session;
  mirrored: MirroredResource;
  /** The time after which records must have changed; undefined for all records. */
  after: string | undefined;
  deletedFilter: State['deletedFilter'];
  /** Called with the relations that the service doesn't return. */
  onMissing(paths: readonly string[]): void;
}

/** Returns whether the list can be filtered by time of change and its records contain that time. */
export function canFilterByChange(resource: Resource): boolean {
  return hasFilter(resource, 'updated_after') && Object.hasOwn(resource.fields, 'updated_at');
}

function hasFilter({ filters }: Resource, name: string): boolean {
  return filters.some((filter) => filter.name === name);
}

/**
 * Yields the pages of all records, including deleted ones. `onCombinedList` is called if the service returns active and
 * deleted records in one list: later readings can rely on that, and only that list can be resumed.
 */
export async function* readPasses(
  request: MirrorListRequest,
  onCombinedList: () => void,
): AsyncGenerator<MirrorListPage> {
  const { session, mirrored, after, deletedFilter, onMissing } = request;
  const { resource, includes } = mirrored;
  const filters = after === undefined ? {} : { updated_after: after };
  const call = {
    operation: requireOperation(resource, 'list'),
    query: { filters, optional: [...includes], onMissing },
  };
  const hasDeletedFilter = hasFilter(resource, 'is_deleted');
  let deletedCount = 0;
  for await (const page of listWithDeleted(session, call, { isAllKnown: deletedFilter === 'include' })) {
    const { list, total, rows } = page;
    const hasActive = hasDeletedFilter && rows.some((row) => !isDeleted(row));
    if (list === 'all' && hasActive && deletedFilter !== 'include') onCombinedList();
    if (list === 'deleted') deletedCount += rows.length;
    yield {
      ...listPage(page, list === 'all' && hasDeletedFilter ? page.number : undefined),
      // The number of active records is unknown before their list is read.
      expected: total === undefined || list === 'deleted' ? undefined : deletedCount + total,
    };
  }
}

/**
 * Yields the pages of the pass that returns all records, starting at a page. No record leaves that list, so only new
 * ones can move rows to other pages: the caller counts the rows at the end.
 */
export async function* readFromPage(
  request: MirrorListRequest,
  firstPage: number,
): AsyncGenerator<MirrorListPage> {
  for (let number = firstPage; ; number++) {
    for await (const page of pagesOf(request, { is_deleted: 'true' }, number)) {
      const { rows, lastPage, hasNext } = page;
      yield listPage(page, number);
      const isLast = lastPage === undefined ? hasNext !== true : number >= lastPage;
      if (isLast || rows.length === 0) return;
    }
  }
}

function listPage({ rows, body, date, total }: SessionPage, number: number | undefined): MirrorListPage {
  return { number, rows: exactRows(rows, body), date, total };
}

function pagesOf(
  { session, mirrored, onMissing }: MirrorListRequest,
  filters: Record<string, string>,
  page?: number,
) {
  const { resource, includes } = mirrored;
  const query = { filters, optional: [...includes], onMissing, ...(page !== undefined && { page }) };
  return session
    .list({ operation: requireOperation(resource, 'list'), query }, { readsAll: page === undefined })
    .pages();
}

/** Matches a fraction with trailing zeros, which JavaScript would write differently. */
const trailingZeroPattern = /\d\.\d*0[\s,}\]]/;

/** Returns the rows with `ExactNumber`s for numbers that the body writes with trailing zeros. */
function exactRows(rows: readonly Row[], body: string): readonly Row[] {
  if (!trailingZeroPattern.test(body)) return rows;
  const rowsById = new Map(
    recordsIn(JSON.parse(body, keepExactNumber)).map((record) => [String(record.id), record]),
  );
  // Fields that were read from single records aren't in the body.
  return rows.map((row) => ({ ...row, ...rowsById.get(String(row.id)) }));
}

function keepExactNumber(_key: string, value: unknown, context?: { source?: string }): unknown {
  const { source = '' } = context ?? {};
  return typeof value === 'number' && String(value) !== source ? new ExactNumber(source) : value;
}

/** Returns the records in a body, which may be wrapped in an object. */
function recordsIn(body: unknown): Row[] {
  const lists = [body, ...(isRow(body) ? Object.values(body) : [])].filter(Array.isArray);
  return lists.flat().filter(isRow);
}
