/**
 * A list, page after page: whole, or a failure that says so. The service's `next` link is never followed: it may drop
 * the filters or leave the host. docs/reference/scripting.md ("Whole lists") says what is promised.
 */
import { Failure } from '../base/errors.ts';
import { type Envelope, type Page, pageOf, unreadable } from './answer.ts';
import { ListTraversal, type PageSource, type Reading } from './list-traversal.ts';
import { PagePrefetch, type PrefetchOptions } from './page-prefetch.ts';
import type { RequestInfo } from './refusal.ts';
import { keyOf, seenRecords } from './seen-records.ts';
import type { HttpAnswer } from './transport.ts';

/** Asks for one page; without a number for the first, as the service gives it unasked. The signal ends the waiting. */
export type AskPage = (
  number: number | undefined,
  signal?: AbortSignal,
) => Promise<[HttpAnswer, RequestInfo]>;

/** Which pages are read, and how. */
export interface ReadPagesOptions {
  /** The one page that is asked for. */
  single?: number | undefined;
  envelope?: Envelope | undefined;
  /** How far pages are asked for before they are wanted; without it none is. */
  ahead?: PrefetchOptions | undefined;
}

/** A list that changes under every reading is read this often, then given up. */
const maxReadings = 5;

/** Disturbed readings in a row that bring nothing new are believed: each could have missed the same record, all of them hardly. */
const minStableReadings = 2;

/**
 * All pages from the first, or the single one that is named. No record is given twice. What was there from the first
 * request to the last is given, though other records come, go or move meanwhile: where the pages show that they do,
 * the list is read again, and what had slipped through follows at its end.
 * @throws Failure (`unavailable`) that names how many records are missing, or the page that makes no sense.
 */
export async function* readPages(
  ask: AskPage,
  { single, envelope, ahead }: ReadPagesOptions = {},
): AsyncGenerator<Page> {
  let last: RequestInfo | undefined;
  const parse = ([answer, request]: [HttpAnswer, RequestInfo], number: number): Page => {
    last = request;
    const page = pageOf(answer, request, number, envelope);
    const repeated = repeatedKey(page);
    if (repeated !== undefined)
      throw unreadable(`Page ${number} of the list contains the record ${repeated} twice`, request);
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
  const seen = seenRecords();
  let stable = 0;
  try {
    for (let count = 1; ; count++) {
      const reading = yield* new ListTraversal(source, seen, count > 1).pages();
      stable = count > 1 && reading.found === 0 ? stable + 1 : 0;
      const verdict = problemOf(reading, seen.size, { count, stable });
      if (verdict === 'whole') return;
      if (verdict !== 'read again') throw incomplete(unreadable(verdict, last));
    }
  } finally {
    pages.close();
  }
}

/** Returns whether a reading can be believed; else a message that says why not. */
function problemOf(
  reading: Reading,
  seen: number,
  { count, stable }: { count: number; stable: number },
): 'whole' | 'read again' | string {
  const { isDisturbed, total, surplus, distinct, found, gap } = reading;
  // What was added in front of the reading excuses nothing that may as well have slipped past.
  const excused = isDisturbed ? Math.max(surplus, 0) : surplus;
  const missing = total === undefined ? 0 : total + excused - distinct;
  if (!isDisturbed && missing <= 0) return gap !== undefined && total === undefined ? gap : 'whole';
  // The same is missing twice, and nothing moves: it is not to be had.
  if (!isDisturbed && count > 1) return shortBy(missing, total);
  if (stable >= minStableReadings && missing <= 0) return 'whole';
  if (count < maxReadings) return 'read again';
  if (total !== undefined && total > seen) return shortBy(total - seen, total);
  return found === 0 ? 'whole' : `The list changes faster than it can be read: ${found} records were missing`;
}

/** Marks the failure of a list whose records were all valid, but not all of them. */
function incomplete({ category, message, details }: Failure): Failure {
  return new Failure(category, message, { ...details, isIncomplete: true });
}

function shortBy(missing: number, total: number | undefined): string {
  const [records, are] = missing === 1 ? ['record', 'is'] : ['records', 'are'];
  return `The service reports ${total} records but returned ${(total ?? 0) - missing}: ${missing} ${records} of the list ${are} missing`;
}

function repeatedKey({ rows }: Page): string | undefined {
  const once = new Set<string>();
  const repeated = rows.find((row) => row.id !== undefined && once.size === once.add(keyOf(row)).size);
  return repeated && keyOf(repeated);
}
