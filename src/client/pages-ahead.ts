/**
 * Prefetches pages of a list: where each answer takes long, several requests run concurrently. Pages are still returned
 * in order, and a page that was requested early is marked as such.
 */
import { passedMs } from '../base/stopwatch.ts';
import type { Page } from './answer.ts';

/** How far pages are requested before they are read. */
export interface AheadOptions {
  /** Returns the maximum number of requests in flight; 0 turns prefetching off. */
  most(): number;
  /** Cancels prefetched requests. */
  signal?: AbortSignal | undefined;
  /** Returns the number of rows that will certainly be read, as a page shows; Infinity for all. */
  rows(page: Page): number;
  /** One more page is requested ahead for each multiple of this time, in milliseconds, that an answer takes. */
  worthMs?: number | undefined;
}

/** A reader of pages that requests the next ones ahead. */
export interface PagesAhead {
  /** Reads a page. `isEarly`: it was requested before the previous page arrived, so it may be older than that one. */
  read(number: number): Promise<{ page: Page; isEarly: boolean }>;
  /** Reads an earlier page again. Discards prefetched pages. */
  readBack(number: number): Promise<Page>;
  /** Discards the pages that were requested early. */
  drop(): void;
  /** Cancels the requests that were sent ahead. */
  close(): void;
}

interface Early<Answer> {
  answer: Promise<Answer>;
  isEarly: boolean;
}

/** For faster answers another connection doesn't help: then reading the pages takes the time. */
const usualWorthMs = 5;

/** The number of recent answers. The fastest is the estimate of latency, as others may have waited for this machine. */
const maxSamples = 4;

/**
 * Returns a reader of pages. `ask` requests one page; its signal cancels the request. `parse` runs when the page is read;
 * until then only the answer is in memory.
 */
export function pagesAhead<Answer>(
  ask: (number: number, signal?: AbortSignal) => Promise<Answer>,
  parse: (answer: Answer, number: number) => Page,
  { most, signal, rows, worthMs = usualWorthMs }: AheadOptions,
): PagesAhead {
  const life = new AbortController();
  const end = () => life.abort(signal?.reason);
  // Not `AbortSignal.any`, which is created again for each request that listens to it.
  if (signal?.aborted) end();
  else signal?.addEventListener('abort', end, { once: true });
  const early = new Map<number, Early<Answer>>();
  let concurrency = 1;
  let recentMs: number[] = [];
  /** The last page returned in order, and the last page known to be needed. */
  let lastRead = 0;
  let lastNeeded = 0;

  const timed = async (number: number, end?: AbortSignal): Promise<Answer> => {
    const since = passedMs();
    const answer = await ask(number, end);
    recentMs = [...recentMs, passedMs() - since].slice(-maxSamples);
    return answer;
  };

  const start = (number: number): Early<Answer> => {
    const isEarly = number > lastRead + 1;
    const answer = timed(number, life.signal);
    // If the page is never read, its failure doesn't matter.
    answer.catch(() => {});
    return { answer, isEarly };
  };

  const askAhead = () => {
    const count = Math.min(concurrency, most());
    for (let number = lastRead + 1; number <= lastNeeded && early.size < count; number++) {
      if (!early.has(number)) early.set(number, start(number));
    }
  };

  const drop = () => {
    early.clear();
    concurrency = 1;
    lastNeeded = 0;
  };

  return {
    async read(number) {
      if (early.size > 0 && !early.has(number)) drop();
      const { answer, isEarly } = early.get(number) ?? { answer: timed(number), isEarly: false };
      early.delete(number);
      const answered = await answer;
      concurrency = Math.max(
        1,
        Math.min(concurrency * 2, most(), 1 + Math.floor(Math.min(...recentMs) / worthMs)),
      );
      lastRead = number;
      // The next requests are in flight while this page is read.
      askAhead();
      if (early.size === 1) await untilSent();
      const page = parse(answered, number);
      lastNeeded = lastToPrefetch(page, rows(page));
      askAhead();
      return { page, isEarly };
    },
    async readBack(number) {
      drop();
      return parse(await ask(number), number);
    },
    drop,
    close() {
      signal?.removeEventListener('abort', end);
      life.abort();
    },
  };
}

/**
 * Waits two turns of the event loop: a request reaches its connection after one and is sent after two. Without this the
 * service would be idle while the caller reads the page, if no other request is in flight.
 */
async function untilSent(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Returns the last page to prefetch; 0 if the number of pages doesn't match the total. */
function lastToPrefetch({ number, rows, total, lastPage, hasNext }: Page, count: number): number {
  const perPage = rows.length;
  const isSound = total !== undefined && hasNext !== false && lastPage === Math.ceil(total / perPage);
  return isSound && number < lastPage ? Math.min(lastPage, Math.ceil(count / perPage)) : 0;
}
