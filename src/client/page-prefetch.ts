/**
 * Prefetches pages of a list: if responses are slow, several requests run concurrently. Pages are still
 * returned in order, and a page that was requested early is marked.
 */
import { elapsedMs } from '../base/stopwatch.ts';
import type { ListPage } from './response.ts';

/** Decides how many pages are requested before they are read. */
export interface PrefetchOptions {
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
type RequestPage<Response> = (number: number, signal?: AbortSignal) => Promise<Response>;

/** Parses a response to a page. Called when the page is read; until then only the response is in memory. */
type ParsePage<Response> = (response: Response, number: number) => ListPage;

/** Reads pages in order, and requests the next ones before they are read. */
export class PagePrefetch<Response> {
  readonly #request: RequestPage<Response>;
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

  constructor(requestPage: RequestPage<Response>, parse: ParsePage<Response>, options: PrefetchOptions) {
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
