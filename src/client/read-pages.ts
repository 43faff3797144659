/**
 * Reads a list page by page: completely, or with a failure that says so. The service's `next` link is never followed:
 * it may drop the filters or leave the host. docs/reference/scripting.md ("Whole lists") says what is promised.
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

/** Which pages are read, and how. */
export interface ReadPagesOptions {
  /** The single page to read. */
  singlePage?: number | undefined;
  envelope?: Envelope | undefined;
  /** How far pages are prefetched; without it none is. */
  prefetch?: PrefetchOptions | undefined;
}

/** The maximum number of readings of a list that changes during each of them. */
const maxReadings = 5;

/**
 * This many disturbed readings in a row without a new record are trusted: each may have missed the same record, but
 * hardly all of them.
 */
const minStableReadings = 2;

/**
 * Yields all pages from the first, or a single one. No record is returned twice. Every record that existed from the
 * first request to the last is returned, even if other records are added, deleted or moved meanwhile: if the pages
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
    for (let count = 1; ; count++) {
      const reading = yield* new ListTraversal(source, seenRecords, count > 1).pages();
      stableCount = count > 1 && reading.missedCount === 0 ? stableCount + 1 : 0;
      const verdict = verdictOf(reading, seenRecords.size, { count, stable: stableCount });
      if (verdict === 'whole') return;
      if (verdict !== 'read again') throw markIncomplete(unreadableList(verdict, lastRequest));
    }
  } finally {
    pages.close();
  }
}

/**
 * Returns `whole` if a reading can be trusted, `read again` if another one is needed, or else the message of the
 * failure.
 */
function verdictOf(
  reading: TraversalResult,
  seenRecords: number,
  { count, stable: stableCount }: { count: number; stable: number },
): 'whole' | 'read again' | string {
  const { isUnreliable: isDisturbed, total, surplus, distinctCount, missedCount, gap } = reading;
  // Records that were added before the position don't explain others that may have been missed.
  const explainedSurplus = isDisturbed ? Math.max(surplus, 0) : surplus;
  const missing = total === undefined ? 0 : total + explainedSurplus - distinctCount;
  if (!isDisturbed && missing <= 0) return gap !== undefined && total === undefined ? gap : 'whole';
  // The same records are missing twice, and the list is unchanged: the service doesn't return them.
  if (!isDisturbed && count > 1) return missingRecordsMessage(missing, total);
  if (stableCount >= minStableReadings && missing <= 0) return 'whole';
  if (count < maxReadings) return 'read again';
  if (total !== undefined && total > seenRecords) return missingRecordsMessage(total - seenRecords, total);
  return missedCount === 0
    ? 'whole'
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
  const duplicateKey = rows.find(
    (row) => row.id !== undefined && uniqueKeys.size === uniqueKeys.add(keyOf(row)).size,
  );
  return duplicateKey && keyOf(duplicateKey);
}
