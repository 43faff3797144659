/**
 * Prefetches pages of a list: where each answer takes long, several requests run concurrently. Pages are still returned
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
  rows(page: ListPage): number;
  /** One more page is requested ahead for each multiple of this time, in milliseconds, that an answer takes. */
  minGainMs?: number | undefined;
}

interface PrefetchedAnswer<Answer> {
  answer: Promise<Answer>;
  isEarly: boolean;
}

/** For faster answers another connection doesn't help: then reading the pages takes the time. */
const defaultMinGainMs = 5;

/** The number of recent answers. The fastest is the estimate of latency, as others may have waited for this machine. */
const maxSamples = 4;

/** Requests one page; the signal cancels the request. */
type AskPage<Answer> = (number: number, signal?: AbortSignal) => Promise<Answer>;

/** Reads an answer as a page. It runs when the page is read; until then only the answer is in memory. */
type ParsePage<Answer> = (answer: Answer, number: number) => ListPage;

/** A reader of pages that requests the next ones ahead. */
export class PagePrefetch<Answer> {
  readonly #ask: AskPage<Answer>;
  readonly #parse: ParsePage<Answer>;
  readonly #options: PrefetchOptions;
  readonly #life = new AbortController();
  readonly #early = new Map<number, PrefetchedAnswer<Answer>>();
  #concurrency = 1;
  #recentMs: number[] = [];
  /** The last page returned in order, and the last page known to be needed. */
  #lastRead = 0;
  #lastNeeded = 0;

  constructor(ask: AskPage<Answer>, parse: ParsePage<Answer>, options: PrefetchOptions) {
    this.#ask = ask;
    this.#parse = parse;
    this.#options = options;
    // Not `AbortSignal.any`, which is created again for each request that listens to it.
    if (options.signal?.aborted) this.#end();
    else options.signal?.addEventListener('abort', this.#end, { once: true });
  }

  /** Reads a page. `isEarly`: it was requested before the previous page arrived, so it may be older than that one. */
  async read(number: number): Promise<{ page: ListPage; isEarly: boolean }> {
    if (this.#early.size > 0 && !this.#early.has(number)) this.drop();
    const { answer, isEarly } = this.#early.get(number) ?? { answer: this.#timed(number), isEarly: false };
    this.#early.delete(number);
    const answered = await answer;
    this.#concurrency = this.#nextConcurrency();
    this.#lastRead = number;
    // The next requests are in flight while this page is read.
    this.#askAhead();
    if (this.#early.size === 1) await untilSent();
    const page = this.#parse(answered, number);
    this.#lastNeeded = lastToPrefetch(page, this.#options.rows(page));
    this.#askAhead();
    return { page, isEarly };
  }

  /** Reads an earlier page again. Discards prefetched pages. */
  async readBack(number: number): Promise<ListPage> {
    this.drop();
    return this.#parse(await this.#ask(number), number);
  }

  /** Discards the pages that were requested early. */
  drop(): void {
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

  async #timed(number: number, end?: AbortSignal): Promise<Answer> {
    const since = elapsedMs();
    const answer = await this.#ask(number, end);
    this.#recentMs = [...this.#recentMs, elapsedMs() - since].slice(-maxSamples);
    return answer;
  }

  /** Doubles the requests in flight as long as answers take long enough. */
  #nextConcurrency(): number {
    const { maxPages, minGainMs = defaultMinGainMs } = this.#options;
    const worthwhile = 1 + Math.floor(Math.min(...this.#recentMs) / minGainMs);
    return Math.max(1, Math.min(this.#concurrency * 2, maxPages(), worthwhile));
  }

  #askAhead(): void {
    const count = Math.min(this.#concurrency, this.#options.maxPages());
    for (let number = this.#lastRead + 1; number <= this.#lastNeeded && this.#early.size < count; number++) {
      if (!this.#early.has(number)) this.#early.set(number, this.#start(number));
    }
  }

  #start(number: number): PrefetchedAnswer<Answer> {
    const isEarly = number > this.#lastRead + 1;
    const answer = this.#timed(number, this.#life.signal);
    // If the page is never read, its failure doesn't matter.
    answer.catch(() => {});
    return { answer, isEarly };
  }
}

/**
 * Waits two turns of the event loop: a request reaches its connection after one and is sent after two. Without this the
 * service would be idle while the caller reads the page, if no other request is in flight.
 */
async function untilSent(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Returns the last page to prefetch; 0 if the number of pages doesn't match the total. */
function lastToPrefetch({ number, rows, total, lastPage, hasNext }: ListPage, count: number): number {
  const perPage = rows.length;
  const isSound = total !== undefined && hasNext !== false && lastPage === Math.ceil(total / perPage);
  return isSound && number < lastPage ? Math.min(lastPage, Math.ceil(count / perPage)) : 0;
}
