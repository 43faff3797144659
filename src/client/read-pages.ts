/**
 * Reads a list page by page: completely, or with a failure that says so. The service's `next` link is never followed:
 * it may drop the filters or leave the host. docs/reference/scripting.md ("Whole lists") says what is promised.
 */
import { Failure } from '../base/errors.ts';
import { ListTraversal, type PageSource, type Reading } from './list-traversal.ts';
import { PagePrefetch, type PrefetchOptions } from './page-prefetch.ts';
import type { RequestInfo } from './refusal.ts';
import { type Envelope, type ListPage, pageOf, unreadableList } from './response.ts';
import { createSeenRecords, keyOf } from './seen-records.ts';
import type { HttpResponse } from './transport.ts';

/** Requests one page; without a number the first one, without a page parameter. The signal cancels the request. */
export type AskPage = (
  number: number | undefined,
  signal?: AbortSignal,
) => Promise<[HttpResponse, RequestInfo]>;

/** Which pages are read, and how. */
export interface ReadPagesOptions {
  /** The single page to read. */
  single?: number | undefined;
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
  ask: AskPage,
  { single, envelope, prefetch: ahead }: ReadPagesOptions = {},
): AsyncGenerator<ListPage> {
  let last: RequestInfo | undefined;
  const parse = ([answer, request]: [HttpResponse, RequestInfo], number: number): ListPage => {
    last = request;
    const page = pageOf(answer, request, number, envelope);
    const repeated = repeatedKey(page);
    if (repeated !== undefined)
      throw unreadableList(`Page ${number} of the list contains the record ${repeated} twice`, request);
    return page;
  };

  if (single !== undefined) {
    yield parse(await ask(single), single);
    return;
  }
  const pages = new PagePrefetch(
    (number, signal) => ask(number === 1 ? undefined : number, signal),
    parse,
    ahead ?? { maxPages: () => 0, rows: () => 0 },
  );
  const source: PageSource = {
    read: async (number) => ({ ...(await pages.read(number)), request: last as RequestInfo }),
    readBack: (number) => pages.readBack(number),
    drop: () => pages.drop(),
  };
  const seen = createSeenRecords();
  let stable = 0;
  try {
    for (let count = 1; ; count++) {
      const reading = yield* new ListTraversal(source, seen, count > 1).pages();
      stable = count > 1 && reading.missedCount === 0 ? stable + 1 : 0;
      const verdict = verdictOf(reading, seen.size, { count, stable });
      if (verdict === 'whole') return;
      if (verdict !== 'read again') throw incomplete(unreadableList(verdict, last));
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
  reading: Reading,
  seen: number,
  { count, stable }: { count: number; stable: number },
): 'whole' | 'read again' | string {
  const { isDisturbed, total, surplus, distinctCount: distinct, missedCount: found, gap } = reading;
  // Records that were added before the position don't explain others that may have been missed.
  const explainedSurplus = isDisturbed ? Math.max(surplus, 0) : surplus;
  const missing = total === undefined ? 0 : total + explainedSurplus - distinct;
  if (!isDisturbed && missing <= 0) return gap !== undefined && total === undefined ? gap : 'whole';
  // The same records are missing twice, and the list is unchanged: the service doesn't return them.
  if (!isDisturbed && count > 1) return shortBy(missing, total);
  if (stable >= minStableReadings && missing <= 0) return 'whole';
  if (count < maxReadings) return 'read again';
  if (total !== undefined && total > seen) return shortBy(total - seen, total);
  return found === 0 ? 'whole' : `The list changes faster than it can be read: ${found} records were missing`;
}

/** Marks the failure of a list whose records are all valid, but not complete. */
function incomplete({ category, message, details }: Failure): Failure {
  return new Failure(category, message, { ...details, isIncomplete: true });
}

function shortBy(missing: number, total: number | undefined): string {
  const [records, are] = missing === 1 ? ['record', 'is'] : ['records', 'are'];
  return `The service reports ${total} records but returned ${(total ?? 0) - missing}: ${missing} ${records} of the list ${are} missing`;
}

function repeatedKey({ rows }: ListPage): string | undefined {
  const once = new Set<string>();
  const repeated = rows.find((row) => row.id !== undefined && once.size === once.add(keyOf(row)).size);
  return repeated && keyOf(repeated);
}
