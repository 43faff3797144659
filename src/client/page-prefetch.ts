/**
 * Prefetches pages of a list: where each response takes long, several requests run concurrently. Pages are still returned
 * in order, and a page that was requested early is marked as such.
 */
import { elapsedMs } from '../base/stopwatch.ts';
import type { ListPage } from './response.ts';

/** How far pages are requested before they are read. */
export interface PrefetchOptions {
  /** Returns the maximum number of requests in flight; 0 turns prefetching off. */
  maxPages(): number;
  /** Cancels prefetched requests. */
  signal?: AbortSignal | undefined;
  /** Returns the number of rows that will certainly be read, as a page shows; Infinity for all. */
  expectedRows(page: ListPage): number;
  /** One more page is requested ahead for each multiple of this time, in milliseconds, that a response takes. */
  minGainMs?: number | undefined;
}

interface PendingResponse<Response> {
  response: Promise<Response>;
  isEarly: boolean;
}

/** For faster responses another connection doesn't help: then reading the pages takes the time. */
const defaultMinGainMs = 5;

/** The number of recent responses. The fastest is the estimate of latency, as others may have waited for this machine. */
const maxSamples = 4;

/** Requests one page; the signal cancels the request. */
type RequestPage<Response> = (number: number, signal?: AbortSignal) => Promise<Response>;

/** Reads a response as a page. It runs when the page is read; until then only the response is in memory. */
type ParsePage<Response> = (response: Response, number: number) => ListPage;

/** A reader of pages that requests the next ones ahead. */
export class PagePrefetch<Response> {
  readonly #ask: RequestPage<Response>;
  readonly #parse: ParsePage<Response>;
  readonly #options: PrefetchOptions;
  readonly #life = new AbortController();
  readonly #early = new Map<number, PendingResponse<Response>>();
  #concurrency = 1;
  #recentMs: number[] = [];
  /** The last page returned in order, and the last page known to be needed. */
  #lastRead = 0;
  #lastNeeded = 0;

  constructor(requestPage: RequestPage<Response>, parse: ParsePage<Response>, options: PrefetchOptions) {
    this.#ask = requestPage;
    this.#parse = parse;
    this.#options = options;
    // Not `AbortSignal.any`, which is created again for each request that listens to it.
    if (options.signal?.aborted) this.#end();
    else options.signal?.addEventListener('abort', this.#end, { once: true });
  }

  /** Reads a page. `isEarly`: it was requested before the previous page arrived, so it may be older than that one. */
  async read(number: number): Promise<{ page: ListPage; isEarly: boolean }> {
    if (this.#early.size > 0 && !this.#early.has(number)) this.discardPrefetched();
    const { response, isEarly } = this.#early.get(number) ?? {
      response: this.#timed(number),
      isEarly: false,
    };
    this.#early.delete(number);
    const pageResponse = await response;
    this.#concurrency = this.#nextConcurrency();
    this.#lastRead = number;
    // The next requests are in flight while this page is read.
    this.#askAhead();
    if (this.#early.size === 1) await waitUntilSent();
    const page = this.#parse(pageResponse, number);
    this.#lastNeeded = lastToPrefetch(page, this.#options.expectedRows(page));
    this.#askAhead();
    return { page, isEarly };
  }

  /** Reads an earlier page again. Discards prefetched pages. */
  async reread(number: number): Promise<ListPage> {
    this.discardPrefetched();
    return this.#parse(await this.#ask(number), number);
  }

  /** Discards the pages that were requested early. */
  discardPrefetched(): void {
    this.#early.clear();
    this.#concurrency = 1;
    this.#lastNeeded = 0;
  }

  /** Cancels the requests that were sent ahead. */
  close(): void {
    this.#options.signal?.removeEventListener('abort', this.#end);
    this.#life.abort();
  }

  readonly #end = (): void => this.#life.abort(this.#options.signal?.reason);

  async #timed(number: number, signal?: AbortSignal): Promise<Response> {
    const startMs = elapsedMs();
    const response = await this.#ask(number, signal);
    this.#recentMs = [...this.#recentMs, elapsedMs() - startMs].slice(-maxSamples);
    return response;
  }

  /** Doubles the requests in flight as long as responses take long enough. */
  #nextConcurrency(): number {
    const { maxPages, minGainMs = defaultMinGainMs } = this.#options;
    const usefulCount = 1 + Math.floor(Math.min(...this.#recentMs) / minGainMs);
    return Math.max(1, Math.min(this.#concurrency * 2, maxPages(), usefulCount));
  }

  #askAhead(): void {
    const count = Math.min(this.#concurrency, this.#options.maxPages());
    for (let number = this.#lastRead + 1; number <= this.#lastNeeded && this.#early.size < count; number++) {
      if (!this.#early.has(number)) this.#early.set(number, this.#start(number));
    }
  }

  #start(number: number): PendingResponse<Response> {
    const isEarly = number > this.#lastRead + 1;
    const response = this.#timed(number, this.#life.signal);
    // If the page is never read, its failure doesn't matter.
    response.catch(() => {});
    return { response: response, isEarly };
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
function lastToPrefetch({ number, rows, total, lastPage, hasNext }: ListPage, count: number): number {
  const perPage = rows.length;
  const isSound = total !== undefined && hasNext !== false && lastPage === Math.ceil(total / perPage);
  return isSound && number < lastPage ? Math.min(lastPage, Math.ceil(count / perPage)) : 0;
}
