/** One reading of a list from its first page to its last, with an eye on what changes meanwhile. */
import { Failure } from '../base/errors.ts';
import type { Page } from './answer.ts';
import { listArrivals, listChanges, listPlace, type ReadBack } from './list-changes.ts';
import type { Asked } from './refusal.ts';
import {
  keyOf,
  markOf,
  mostRecords,
  type RecordMark,
  type SeenRecords,
  seenRecords,
} from './seen-records.ts';
import type { Row } from './shape.ts';

/** A page, and what it answers. */
export interface Listed {
  page: Page;
  asked: Asked;
  /** It was asked for before the page in front of it had come, and may be older than that one. */
  isEarly: boolean;
}

export interface PageSource {
  read(number: number): Promise<Listed>;
  /** One that has come before, as it is now. */
  readBack(number: number): Promise<Page>;
  /** What was asked for early counts for nothing: the next page is asked for anew. */
  drop(): void;
}

/** What a reading came to. */
export interface Reading {
  /** Records in this reading. */
  distinct: number;
  /** Those of them that no reading before had, and that are older than this one. */
  found: number;
  /** As the last page says it. */
  total: number | undefined;
  /** By how many more records have to be in it than `total` says. */
  surplus: number;
  /** Records may have slipped past: some moved, or others went, and it is not sure that this was made up for. */
  isDisturbed: boolean;
  /** Where rows are missing that no total tells of, in words. */
  gap: string | undefined;
}

/** More pages than any list has: past them it doesn't end. */
const mostPages = 100_000;

/** So many empty pages in a row are the end, whatever the service says of more. */
const mostEmpty = 3;

/** Where it says nothing at all, a single empty page may be a fault of its own. */
const mostEmptyUntold = 2;

/** Pages that are read back for records that moved up. */
const mostReadBack = 5;

/** No service makes pages of fewer rows: where nothing at all is told, a first page as short as that was the only one. */
const shortestPage = 10;

/** Pages in a row that bring nothing new, with a last page to come and without. */
const mostStale = 100;
const mostStaleUntold = 3;

/**
 * Yields the pages with the records that are new. Where `total` changes, or a page begins with records that came
 * before, the page before it is read back: what moved up into it is given first. A service that tells no total is
 * read back at every page. `seen` holds what all readings had, this one included.
 */
export async function* readThrough(
  source: PageSource,
  seen: SeenRecords,
  isRepeated: boolean,
): AsyncGenerator<Page, Reading> {
  /** Of this reading alone. */
  const here = isRepeated ? seenRecords() : seen;
  const known = seen.size;
  const place = listPlace();
  const changes = listChanges();
  const arrivals = listArrivals();
  let before: Page | undefined;
  let young = 0;
  let gap: string | undefined;

  const take = (rows: readonly Row[], marks: readonly RecordMark[]): Row[] => {
    const fresh = rows.filter((row, at) => {
      const mark = marks[at] as RecordMark;
      const isNew = seen.add(mark);
      const isNewHere = here === seen ? isNew : here.add(mark);
      if (before !== undefined && isNewHere) arrivals.see(row, isNew);
      return isNew;
    });
    for (const row of fresh) if (arrivals.isYounger(row)) young++;
    return fresh;
  };

  /** The pages before, as far back as they hold what has not come. */
  const readBack = async (from: number): Promise<ReadBack & { pages: Page[] }> => {
    const pages: Page[] = [];
    const lateBefore = arrivals.count();
    let found = 0;
    let now: string[] = [];
    for (let number = from; number >= 1 && number > from - mostReadBack; number--) {
      const page = await source.readBack(number);
      changes.count(page);
      if (isCutShort(page, place.size())) changes.disturb();
      if (number === from) now = keysOf(page);
      const rows = take(page.rows, page.rows.map(markOf));
      // Behind an empty page, what moved up may be further in front.
      if (rows.length === 0 && page.rows.length > 0) break;
      found += rows.length;
      if (rows.length > 0) pages.unshift({ ...page, rows });
    }
    const rest = now.slice(0, Math.max(now.length - found, 0));
    const keysBefore = before ? keysOf(before) : [];
    return {
      pages,
      found,
      late: arrivals.count() - lateBefore,
      isSame: sameKeys(now, keysBefore),
      isMovedUp: found > 0 && pages.length === 1 && rest.every((key) => keysBefore.includes(key)),
    };
  };

  let [empty, stale, isProbing] = [0, 0, false];
  for (let number = 1; ; number++) {
    const listed = await source.read(number).catch((error: unknown) => {
      if (isProbing && isNoPage(error)) return undefined;
      throw error;
    });
    if (listed === undefined) break;
    const { page, asked } = listed;
    const { rows } = page;
    const marks = rows.map(markOf);
    const again = marks.filter(here.has).length;
    // What happens between one page and the next shows only where one is asked for behind the other.
    if (listed.isEarly && isOdd(page, before, again)) {
      source.drop();
      number--;
      continue;
    }
    if (number > mostPages || seen.size > mostRecords) {
      throw unreadable(`The list goes on after ${seen.size} records`, asked);
    }
    here.expect(page.total ?? 0);
    place.measure(page, before);
    const missed = place.missedBefore(page, before);
    if (missed !== undefined) {
      number = missed - 1;
      continue;
    }

    if (rows.length === 0 && here.size < shortestPage && claimOf(page, here.size) === 'untold') {
      yield page;
      before = page;
      break;
    }
    changes.count(page);
    arrivals.answered(number, page.date, listed.isEarly);
    const overlap = place.overlap(page);
    const excess = again - overlap;
    const fresh = take(rows, marks);
    if (before && changes.mustReadBack(page, before, excess, overlap)) {
      const back = await readBack(number - 1);
      arrivals.settled(number - 1);
      yield* back.pages;
      const isStale = excess > 0 && again === rows.length && back.found === 0;
      if (isStale && !changes.isPushed(page, before, excess)) {
        if ((page.lastPage ?? number) >= number) changes.disturb();
        if (isPastEnd(page, here.size)) break;
        const isCopy = back.isSame && sameKeys(keysOf(page), keysOf(before));
        if (isCopy || ++stale > (page.lastPage === undefined ? mostStaleUntold : mostStale)) {
          throw unreadable(`Page ${number} of the list repeats what came before`, asked);
        }
        if (back.isSame && page.perPage === undefined) place.shrink(page);
      }
      if (fresh.length + back.found > 0) stale = 0;
      changes.weigh(page, before, excess, back);
    }
    // Pages of another size, though nothing says so.
    if (
      before &&
      page.total !== undefined &&
      page.total === before.total &&
      page.lastPage !== before.lastPage
    ) {
      changes.disturb();
    }
    empty = rows.length === 0 ? empty + 1 : 0;
    if (empty < 2) yield { ...page, rows: fresh };
    place.cover(page);
    before = page;

    const claim = claimOf(page, here.size - changes.surplus(arrivals.count()));
    if (claim === 'end') break;
    if (empty >= (claim === 'untold' ? mostEmptyUntold : mostEmpty)) {
      if ((page.lastPage ?? 0) > number) {
        gap = `The list has ${page.lastPage} pages, as the service says, but page ${number} and those before it are empty`;
      }
      break;
    }
    isProbing = claim !== 'more';
    // Where pages have become smaller, some of them hold what has come.
    if (overlap > 0 && again >= overlap) number = Math.max(number, place.lastCovered());
  }

  if (before?.total !== undefined && !changes.isDisturbed(young, before)) {
    const moves = changes.moves();
    for (const number of arrivals.doubtful({ ...moves, size: place.size() })) {
      const page = await source.readBack(number);
      const rows = take(page.rows, page.rows.map(markOf));
      if (rows.length > 0) yield { ...page, rows };
      const isOther = isCutShort(page, place.size()) || page.total !== before.total;
      if (rows.length > 0 || isOther) changes.disturb();
    }
  }

  return {
    distinct: here.size,
    found: seen.size - known - young,
    total: before?.total,
    surplus: changes.surplus(arrivals.count()),
    isDisturbed: changes.isDisturbed(young, before),
    gap: place.gap() ?? gap,
  };
}

/** Whether a page differs from the one before by more than its records: then it matters when it was asked for. */
function isOdd(page: Page, before: Page | undefined, again: number): boolean {
  const isLast = page.number === page.lastPage;
  return (
    again > 0 ||
    page.total !== before?.total ||
    page.lastPage !== before?.lastPage ||
    page.perPage !== before?.perPage ||
    (isLast ? page.rows.length === 0 : page.rows.length !== before?.rows.length)
  );
}

/** Whether it lacks rows, though others follow it. */
function isCutShort({ number, rows, lastPage }: Page, size: number): boolean {
  return rows.length < size && number < (lastPage ?? 0);
}

type Claim = 'more' | 'more records' | 'end' | 'untold';

/** What the service says of what follows. Any word of more counts: `last_page` may be wrong, and `next` too. */
function claimOf({ number, lastPage, hasNext, total }: Page, count: number): Claim {
  if (hasNext === true || (lastPage !== undefined && number < lastPage)) return 'more';
  if (total !== undefined && count < total) return 'more records';
  return total === undefined && lastPage === undefined && hasNext === undefined ? 'untold' : 'end';
}

/** Whether nothing new is to be expected, though the page isn't empty: some services give the last one again. */
function isPastEnd(page: Page, count: number): boolean {
  const { number, lastPage, total } = page;
  return (
    claimOf(page, count) === 'end' ||
    (lastPage ?? number) < number ||
    ((total ?? 0) > 0 && count >= (total ?? 0))
  );
}

function keysOf({ rows }: Page): string[] {
  return rows.map(keyOf);
}

function sameKeys(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((key, at) => key === others[at]);
}

/** Asked for a page past the last, some services answer that there is none. */
function isNoPage(error: unknown): boolean {
  return error instanceof Failure && [400, 404, 422].includes(error.details.status ?? 0);
}

/** What was given so far is not the whole list. */
export function unreadable(message: string, asked: Asked | undefined): Failure {
  return new Failure('unavailable', `${message}. What has come is not the whole list.`, {
    ...(asked && { request: { method: asked.method, path: asked.path } }),
    hint: 'Run it once more: the list may have changed while it was read. A single page can still be read with --page N.',
  });
}
