/**
 * Reads a list page by page. Throws a failure if the list is incomplete. The service's `next` link is never followed, because
 * it may drop the filters or lead to another host. docs/reference/scripting.md ("Whole lists") has the guarantees.
 */
import { Failure } from '../../base/errors.ts';
import { elapsedMs } from '../../base/stopwatch.ts';
import { ListTraversal, type PageSource, type TraversalResult } from './list-traversal.ts';
import type { RequestInfo } from './refusal.ts';
import { type Call, expectedRowsOf } from './request.ts';
import { type Envelope, type ListPage, pageOf, unreadableList } from './response.ts';
import { createSeenRecords, keyOf } from './seen-records.ts';
import type { HttpResponse } from './transport.ts';

/** Requests one page; without a number the first one, without a page parameter. The signal cancels the request. */
export type RequestPage = (
  number: number | undefined,
  signal?: AbortSignal,
) => Promise<[HttpResponse, RequestInfo]>;

export interface ReadPagesOptions {
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

/** The number of rows of a page that doesn't report it. */
const usualPageRows = 50;

/**
 * Yields the pages of a list in the order of the cursor's field, numbered as one list. A call with a page or an order of
 * its own is read as it is: the service then ends it, and a missing part is reported as for every list.
 */
export async function* cursorPages(
  call: Call,
  pages: (call: Call) => AsyncGenerator<ListPage>,
): AsyncGenerator<ListPage> {
  const { cursor } = call.operation.resource;
  if (!cursor) return yield* pages(call);
  const { field, filter, maxPages } = cursor;
  const { page, sort = [field], filters } = call.query ?? {};
  if (page !== undefined || sort.join() !== field || filters?.[filter] !== undefined)
    return yield* pages(call);
  const expectedRows = (page: ListPage) =>
    Math.min(expectedRowsOf(call)(page), maxPages * (page.perPage ?? usualPageRows));
  let [pageCount, total, after]: [number, number | undefined, string | undefined] = [0, undefined, undefined];
  for (;;) {
    const query = {
      ...call.query,
      sort,
      filters: { ...filters, ...(after !== undefined && { [filter]: after }) },
    };
    let last: ListPage | undefined;
    for await (const page of pages({ ...call, query, expectedRows })) {
      total ??= page.total;
      const { lastPage } = page;
      last = page;
      yield {
        ...page,
        number: pageCount + page.number,
        total,
        ...(lastPage !== undefined && { lastPage: pageCount + lastPage }),
      };
      if (page.number >= maxPages) break;
    }
    const end = last?.rows.at(-1)?.[field];
    const mayContinue =
      last?.number === maxPages && (last.lastPage === undefined || last.lastPage > maxPages);
    if (!mayContinue || end === undefined || end === null || String(end) === after) return;
    pageCount += maxPages;
    after = String(end);
  }
}

/** Decides how many pages are requested before they are read. */
interface PrefetchOptions {
  /** Returns the maximum number of requests in flight; 0 turns prefetching off. */
  maxPages(): number;
  /** Cancels prefetched requests. */
  signal?: AbortSignal | undefined;
  /** Returns the number of rows that will certainly be read, given a page; Infinity for all rows. */
  expectedRows(page: ListPage): number;
  /** The response time, in milliseconds, for each additional concurrent request. */
  minGainMs?: number | undefined;
}

interface PendingResponse<Response> {
  response: Promise<Response>;
  isEarly: boolean;
}

/** For faster responses another connection doesn't help, because reading the pages takes longer. */
const defaultMinGainMs = 5;

/** The number of recent response times to keep. The shortest is the estimated latency, because others may include waits on this machine. */
const maxSamples = 4;

/** Requests one page; the signal cancels the request. */
type PageRequest<Response> = (number: number, signal?: AbortSignal) => Promise<Response>;

/** Parses a response to a page. Called when the page is read; until then only the response is in memory. */
type ParsePage<Response> = (response: Response, number: number) => ListPage;

/** Reads pages in order, and requests the next ones before they are read. */
export class PagePrefetch<Response> {
  readonly #request: PageRequest<Response>;
  readonly #parse: ParsePage<Response>;
  readonly #options: PrefetchOptions;
  readonly #abortController = new AbortController();
  readonly #prefetched = new Map<number, PendingResponse<Response>>();
  #concurrency = 1;
  #recentMs: number[] = [];
  /** The number of the last page that was returned. */
  #lastRead = 0;
  /** The number of the last page that is certainly needed. */
  #lastNeeded = 0;

  constructor(requestPage: PageRequest<Response>, parse: ParsePage<Response>, options: PrefetchOptions) {
    this.#request = requestPage;
    this.#parse = parse;
    this.#options = options;
    // Not `AbortSignal.any`, which is created again for each request that listens to it.
    if (options.signal?.aborted) this.#abort();
    else options.signal?.addEventListener('abort', this.#abort, { once: true });
  }

  /** Reads a page. `isEarly`: it was requested before the previous page arrived, so it may be older than that one. */
  async read(number: number): Promise<{ page: ListPage; isEarly: boolean }> {
    if (this.#prefetched.size > 0 && !this.#prefetched.has(number)) this.discardPrefetched();
    const { response, isEarly } = this.#prefetched.get(number) ?? {
      response: this.#requestAndMeasure(number),
      isEarly: false,
    };
    this.#prefetched.delete(number);
    const pageResponse = await response;
    this.#concurrency = this.#nextConcurrency();
    this.#lastRead = number;
    // The next requests are in flight while this page is read.
    this.#prefetch();
    if (this.#prefetched.size === 1) await waitUntilSent();
    const page = this.#parse(pageResponse, number);
    this.#lastNeeded = lastToPrefetch(page, this.#options.expectedRows(page));
    this.#prefetch();
    return { page, isEarly };
  }

  /** Reads an earlier page again. Discards prefetched pages. */
  async reread(number: number): Promise<ListPage> {
    this.discardPrefetched();
    return this.#parse(await this.#request(number), number);
  }

  /** Discards the pages that were requested early. */
  discardPrefetched(): void {
    this.#prefetched.clear();
    this.#concurrency = 1;
    this.#lastNeeded = 0;
  }

  /** Cancels the prefetched requests. */
  close(): void {
    this.#options.signal?.removeEventListener('abort', this.#abort);
    this.#abortController.abort();
  }

  readonly #abort = (): void => this.#abortController.abort(this.#options.signal?.reason);

  async #requestAndMeasure(number: number, signal?: AbortSignal): Promise<Response> {
    const startMs = elapsedMs();
    const response = await this.#request(number, signal);
    this.#recentMs = [...this.#recentMs, elapsedMs() - startMs].slice(-maxSamples);
    return response;
  }

  /** Returns twice the number of requests in flight, as long as responses take long enough. */
  #nextConcurrency(): number {
    const { maxPages, minGainMs = defaultMinGainMs } = this.#options;
    const usefulCount = 1 + Math.floor(Math.min(...this.#recentMs) / minGainMs);
    return Math.max(1, Math.min(this.#concurrency * 2, maxPages(), usefulCount));
  }

  #prefetch(): void {
    const count = Math.min(this.#concurrency, this.#options.maxPages());
    for (
      let number = this.#lastRead + 1;
      number <= this.#lastNeeded && this.#prefetched.size < count;
      number++
    ) {
      if (!this.#prefetched.has(number)) this.#prefetched.set(number, this.#startPrefetch(number));
    }
  }

  #startPrefetch(number: number): PendingResponse<Response> {
    const isEarly = number > this.#lastRead + 1;
    const response = this.#requestAndMeasure(number, this.#abortController.signal);
    // If the page is never read, its failure doesn't matter.
    response.catch(() => {});
    return { response, isEarly };
  }
}

/**
 * Waits two turns of the event loop: a request reaches its connection after one and is sent after two. Without this the
 * service would be idle while the caller reads the page, if no other request is in flight.
 */
async function waitUntilSent(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Returns the last page to prefetch; 0 if the number of pages doesn't match the total. */
function lastToPrefetch({ number, rows, total, lastPage, hasNext }: ListPage, expectedRows: number): number {
  const perPage = rows.length;
  const isSound = total !== undefined && hasNext !== false && lastPage === Math.ceil(total / perPage);
  return isSound && number < lastPage ? Math.min(lastPage, Math.ceil(expectedRows / perPage)) : 0;
}
