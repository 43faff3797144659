/**
 * Prefetches pages of a list: where each answer takes long, several requests run concurrently. Pages are still returned
 * in order, and a page that was requested early is marked as such.
 */
import { passedMs } from '../base/stopwatch.ts';
import type { Page } from './answer.ts';

/** How far pages are requested before they are read. */
export interface AheadOptions {
  /** How many requests may be under way now; 0 asks for nothing before it is wanted. */
  most(): number;
  /** Ends the waiting for what is asked for early. */
  signal?: AbortSignal | undefined;
  /** Returns the number of rows that will certainly be read, as a page shows; Infinity for all. */
  rows(page: Page): number;
  /** One more page is requested ahead for each multiple of this time, in milliseconds, that an answer takes. */
  worthMs?: number | undefined;
}

/** A reader of pages that requests the next ones ahead. */
export interface PagesAhead {
  /** `isEarly` where it was asked for before the page in front of it had come: it may be older than that one. */
  read(number: number): Promise<{ page: Page; isEarly: boolean }>;
  /** One that has come before, as it is now. What was asked for early counts for nothing. */
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

/** Less is not worth another connection: what then takes time is reading the pages. */
const usualWorthMs = 5;

/** Answers of which the quickest tells how long one takes: others may have waited for this machine. */
const fewAnswers = 4;

/**
 * Returns a reader of pages. `ask` requests one page; its signal cancels that. `parse` reads the page from the answer once it is its turn:
 * until then no more than the answer is held.
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
  let atOnce = 1;
  let lately: number[] = [];
  /** The last page that has come in its order, and the last that is wanted as far as anyone knows. */
  let come = 0;
  let wanted = 0;

  const timed = async (number: number, end?: AbortSignal): Promise<Answer> => {
    const since = passedMs();
    const answer = await ask(number, end);
    lately = [...lately, passedMs() - since].slice(-fewAnswers);
    return answer;
  };

  const start = (number: number): Early<Answer> => {
    const isEarly = number > come + 1;
    const answer = timed(number, life.signal);
    // If the page is never read, its failure doesn't matter.
    answer.catch(() => {});
    return { answer, isEarly };
  };

  const askAhead = () => {
    const count = Math.min(atOnce, most());
    for (let number = come + 1; number <= wanted && early.size < count; number++) {
      if (!early.has(number)) early.set(number, start(number));
    }
  };

  const drop = () => {
    early.clear();
    atOnce = 1;
    wanted = 0;
  };

  return {
    async read(number) {
      if (early.size > 0 && !early.has(number)) drop();
      const { answer, isEarly } = early.get(number) ?? { answer: timed(number), isEarly: false };
      early.delete(number);
      const answered = await answer;
      atOnce = Math.max(1, Math.min(atOnce * 2, most(), 1 + Math.floor(Math.min(...lately) / worthMs)));
      come = number;
      // What takes longest is under way while this page is read.
      askAhead();
      if (early.size === 1) await untilSent();
      const page = parse(answered, number);
      wanted = lastWanted(page, rows(page));
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
 * A connection that has just answered takes its next request in a later turn of the event loop: a caller that continues reading at
 * once leaves the service idle meanwhile, where nothing else is under way. A request is with its connection after one
 * turn, and on its way after two.
 */
async function untilSent(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Nothing is wanted ahead of a list whose pages don't add up to its total. */
function lastWanted({ number, rows, total, lastPage, hasNext }: Page, count: number): number {
  const perPage = rows.length;
  const isSound = total !== undefined && hasNext !== false && lastPage === Math.ceil(total / perPage);
  return isSound && number < lastPage ? Math.min(lastPage, Math.ceil(count / perPage)) : 0;
}
