/**
 * Reads a list page by page. Throws a failure if the list is incomplete. The service's `next` link is never followed, because
 * it may drop the filters or lead to another host. docs/reference/scripting.md ("Whole lists") has the guarantees.
 */
import { Failure } from '../base/errors.ts';
import { ListTraversal, type PageSource, type TraversalResult } from './list-traversal.ts';
import { PagePrefetch, type PrefetchOptions } from './page-prefetch.ts';
import type { RequestInfo } from './refusal.ts';
import { type Envelope, type ListPage, pageOf, unreadableList } from './response.ts';
import { createSeenRecords, keyOf } from './seen-records.ts';
import type { HttpResponse } from './transport.ts';

/** Requests one page; without a number the first one, without a page parameter. The signal cancels the request. */
export type RequestPage = (
  number: number | undefined,
  signal?: AbortSignal,
) => Promise<[HttpResponse, RequestInfo]>;

/** The options for reading pages. */
export interface ReadPagesOptions {
  /** The single page to read. */
  singlePage?: number | undefined;
  envelope?: Envelope | undefined;
  /** The prefetch options; without them no page is prefetched. */
  prefetch?: PrefetchOptions | undefined;
}

/** The maximum number of times that a changing list is read. */
const maxReadings = 5;

/**
 * The number of consecutive unreliable readings without a new record after which the list counts as complete: each reading
 * may miss a record, but rarely all miss the same one.
 */
const minStableReadings = 2;

/**
 * Yields all pages from the first, or a single one. No record is returned twice. Every record that existed from the
 * first request to the last is returned, even if other records are added, deleted or moved in the meantime: if the pages
 * show such changes, the list is read again, and missed records follow at its end. @throws Failure (`unavailable`)
 * that names the number of missing records, or the page that can't be right.
 */
export async function* readPages(
  requestPage: RequestPage,
  { singlePage, envelope, prefetch: prefetchOptions }: ReadPagesOptions = {},
): AsyncGenerator<ListPage> {
  let lastRequest: RequestInfo | undefined;
  const parse = ([response, request]: [HttpResponse, RequestInfo], number: number): ListPage => {
    lastRequest = request;
    const page = pageOf(response, request, number, envelope);
    const duplicateKey = duplicateKeyOf(page);
    if (duplicateKey !== undefined)
      throw unreadableList(`Page ${number} of the list contains the record ${duplicateKey} twice`, request);
    return page;
  };

  if (singlePage !== undefined) {
    yield parse(await requestPage(singlePage), singlePage);
    return;
  }
  const pages = new PagePrefetch(
    (number, signal) => requestPage(number === 1 ? undefined : number, signal),
    parse,
    prefetchOptions ?? { maxPages: () => 0, expectedRows: () => 0 },
  );
  const source: PageSource = {
    read: async (number) => ({ ...(await pages.read(number)), request: lastRequest as RequestInfo }),
    reread: (number) => pages.reread(number),
    discardPrefetched: () => pages.discardPrefetched(),
  };
  const seenRecords = createSeenRecords();
  let stableCount = 0;
  try {
    for (let readingCount = 1; ; readingCount++) {
      const reading = yield* new ListTraversal(source, seenRecords, readingCount > 1).pages();
      stableCount = readingCount > 1 && reading.missedCount === 0 ? stableCount + 1 : 0;
      const verdict = verdictOf(reading, seenRecords.size, { readingCount, stableCount });
      if (verdict === 'complete') return;
      if (verdict !== 'reread') throw markIncomplete(unreadableList(verdict, lastRequest));
    }
  } finally {
    pages.close();
  }
}

/**
 * Returns `complete` if a reading can be trusted, `reread` if another one is needed, otherwise the message of the
 * failure.
 */
function verdictOf(
  reading: TraversalResult,
  seenCount: number,
  { readingCount, stableCount }: { readingCount: number; stableCount: number },
): 'complete' | 'reread' | string {
  const { isUnreliable, total, surplus, distinctCount, missedCount, gap } = reading;
  // Records that were added before the position don't explain others that may have been missed.
  const explainedSurplus = isUnreliable ? Math.max(surplus, 0) : surplus;
  const missing = total === undefined ? 0 : total + explainedSurplus - distinctCount;
  if (!isUnreliable && missing <= 0) return gap !== undefined && total === undefined ? gap : 'complete';
  // The same records are missing twice, and the list is unchanged: the service doesn't return them.
  if (!isUnreliable && readingCount > 1) return missingRecordsMessage(missing, total);
  if (stableCount >= minStableReadings && missing <= 0) return 'complete';
  if (readingCount < maxReadings) return 'reread';
  if (total !== undefined && total > seenCount) return missingRecordsMessage(total - seenCount, total);
  return missedCount === 0
    ? 'complete'
    : `The list changes faster than it can be read: ${missedCount} records were missing`;
}

/** Marks the failure of a list whose records are all valid, but not complete. */
function markIncomplete({ category, message, details }: Failure): Failure {
  return new Failure(category, message, { ...details, isIncomplete: true });
}

function missingRecordsMessage(missing: number, total: number | undefined): string {
  const [records, are] = missing === 1 ? ['record', 'is'] : ['records', 'are'];
  return `The service reports ${total} records but returned ${(total ?? 0) - missing}: ${missing} ${records} of the list ${are} missing`;
}

function duplicateKeyOf({ rows }: ListPage): string | undefined {
  const uniqueKeys = new Set<string>();
  const duplicate = rows.find(
    (row) => row.id !== undefined && uniqueKeys.size === uniqueKeys.add(keyOf(row)).size,
  );
  return duplicate && keyOf(duplicate);
}
