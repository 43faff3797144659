/** One reading of a list from its first page to its last, with an eye on what changes meanwhile. */
import { Failure } from '../base/errors.ts';
import { claimOf, isPastEnd, type Page, unreadable } from './answer.ts';
import { ListArrivals, ListChanges, PagePositions, type ReadBack } from './list-changes.ts';
import type { RequestInfo } from './refusal.ts';
import {
  fingerprintOf,
  keysOf,
  maxRecords,
  type RecordFingerprint,
  type SeenRecords,
  sameKeys,
  seenRecords,
} from './seen-records.ts';
import type { Row } from './shape.ts';

/** A page, and what it answers. */
export interface Listed {
  page: Page;
  request: RequestInfo;
  /** It was asked for before the page in front of it had come, and may be older than that one. */
  isEarly: boolean;
}

/** Where the pages of a list come from. */
export interface PageSource {
  read(number: number): Promise<Listed>;
  /** One that has come before, as it is now. */
  readBack(number: number): Promise<Page>;
  /** What was asked for early counts for nothing: the next page is asked for again. */
  drop(): void;
}

/** The outcome of a reading. */
export interface Reading {
  /** Records in this reading. */
  distinct: number;
  /** Those of them that no reading before had, and that are older than this one. */
  found: number;
  /** As the last page says it. */
  total: number | undefined;
  /** By how many more records have to be in it than `total` says. */
  surplus: number;
  /** Records may have been missed: some moved, or others were deleted, and nothing shows that this was made up for. */
  isDisturbed: boolean;
  /** Where rows are missing that no total shows, in words. */
  gap: string | undefined;
}

/** More pages than any list has: past them it doesn't end. */
const maxPages = 100_000;

/** Empty pages in a row that are the end: whatever the service says of more, or where it says nothing. */
const maxEmpty = { withClaim: 3, withoutClaim: 2 };

/** Pages that are read back for records that moved up. */
const maxReadBack = 5;

/** No service makes pages of fewer rows: where nothing is said of more, a first page as short as that was the only one. */
const minPageRows = 10;

/** Pages in a row that bring nothing new. */
const maxStale = { withLastPage: 100, withoutLastPage: 3 };

/**
 * One reading of a list. Where `total` changes, or a page begins with records that came before, the page before it is read
 * back: what moved up into it is given first. A service that gives no total is read back at every page.
 */
export class ListTraversal {
  readonly #source: PageSource;
  /** What all readings had, this one included. */
  readonly #seen: SeenRecords;
  /** What this reading had. */
  readonly #here: SeenRecords;
  readonly #knownBefore: number;
  readonly #positions = new PagePositions();
  readonly #changes = new ListChanges();
  readonly #arrivals = new ListArrivals();
  #before: Page | undefined;
  #young = 0;
  #empty = 0;
  #stale = 0;
  /** Whether the next page is asked for though the service doesn't say that there is one. */
  #isProbing = false;
  #gap: string | undefined;

  constructor(source: PageSource, seen: SeenRecords, isRepeated: boolean) {
    this.#source = source;
    this.#seen = seen;
    this.#here = isRepeated ? seenRecords() : seen;
    this.#knownBefore = seen.size;
  }

  /** Yields the pages with the records that are new. */
  async *pages(): AsyncGenerator<Page, Reading> {
    let number: number | undefined = 1;
    while (number !== undefined) {
      const listed = await this.#ask(number);
      number = listed && (yield* this.#give(listed));
    }
    yield* this.#giveMissed();
    return {
      distinct: this.#here.size,
      found: this.#seen.size - this.#knownBefore - this.#young,
      total: this.#before?.total,
      surplus: this.#surplus(),
      isDisturbed: this.#changes.isDisturbed(this.#young, this.#before),
      gap: this.#positions.gap ?? this.#gap,
    };
  }

  /** Undefined where there is no such page, and none was promised. */
  #ask(number: number): Promise<Listed | undefined> {
    return this.#source.read(number).catch((error: unknown) => {
      if (this.#isProbing && isNoPage(error)) return undefined;
      throw error;
    });
  }

  /** Gives what a page has brought. Returns the page to read next; undefined at the end of the list. */
  async *#give({ page, request, isEarly }: Listed): AsyncGenerator<Page, number | undefined> {
    const fingerprints = page.rows.map(fingerprintOf);
    const repeated = fingerprints.filter((fingerprint) => this.#here.has(fingerprint)).length;
    // What happens between one page and the next shows only where one is asked for behind the other.
    if (isEarly && isUnexpected(page, this.#before, repeated)) {
      this.#source.drop();
      return page.number;
    }
    if (page.number > maxPages || this.#seen.size > maxRecords) {
      throw unreadable(`The list continues after ${this.#seen.size} records`, request);
    }
    this.#here.expect(page.total ?? 0);
    this.#positions.measure(page, this.#before);
    const missed = this.#positions.missedBefore(page, this.#before);
    if (missed !== undefined) return missed;
    if (this.#isOnly(page)) {
      yield page;
      this.#before = page;
      return undefined;
    }
    this.#changes.count(page);
    this.#arrivals.answered(page.number, page.date, isEarly);
    const overlap = this.#positions.overlap(page);
    const fresh = this.#take(page.rows, fingerprints);
    const isPastEnd = yield* this.#compare(page, { repeated, overlap, fresh: fresh.length, request });
    if (isPastEnd) return undefined;
    this.#empty = page.rows.length === 0 ? this.#empty + 1 : 0;
    if (this.#empty < 2) yield { ...page, rows: fresh };
    this.#positions.markRead(page);
    this.#before = page;
    return this.#next(page, repeated, overlap);
  }

  /** Whether the first page is the whole list, because the service reports no further pages. */
  #isOnly(page: Page): boolean {
    const isShort = page.rows.length === 0 && this.#here.size < minPageRows;
    return isShort && claimOf(page, this.#here.size) === 'unknown';
  }

  /** Returns the rows that no reading had. */
  #take(rows: readonly Row[], fingerprints: readonly RecordFingerprint[]): Row[] {
    const fresh = rows.filter((row, at) => {
      const fingerprint = fingerprints[at] as RecordFingerprint;
      const isNew = this.#seen.add(fingerprint);
      const isNewHere = this.#here === this.#seen ? isNew : this.#here.add(fingerprint);
      if (this.#before !== undefined && isNewHere) this.#arrivals.see(row, isNew);
      return isNew;
    });
    for (const row of fresh) if (this.#arrivals.isYounger(row)) this.#young++;
    return fresh;
  }

  /**
   * Compares a page with the one before it, and gives what has moved up over their boundary. Returns whether the list has
   * ended before this page.
   */
  async *#compare(
    page: Page,
    {
      repeated,
      overlap,
      fresh,
      request,
    }: { repeated: number; overlap: number; fresh: number; request: RequestInfo },
  ): AsyncGenerator<Page, boolean> {
    const [before, excess] = [this.#before, repeated - overlap];
    if (!before) return false;
    if (this.#changes.mustReadBack(page, before, excess, overlap)) {
      const back = await this.#readBack(page.number - 1, before);
      this.#arrivals.finishPage(page.number - 1);
      yield* back.pages;
      const isStale = excess > 0 && repeated === page.rows.length && back.found === 0;
      if (isStale && !this.#changes.isPushed(page, before, excess)) {
        if ((page.lastPage ?? page.number) >= page.number) this.#changes.disturb();
        if (isPastEnd(page, this.#here.size)) return true;
        this.#demandProgress(page, back.isSame && sameKeys(keysOf(page), keysOf(before)), request);
        if (back.isSame && page.perPage === undefined) this.#positions.shrink(page);
      }
      if (fresh + back.found > 0) this.#stale = 0;
      this.#changes.weigh(page, before, excess, back);
    }
    // Pages of another size, though nothing says so.
    const isResized = page.total === before.total && page.lastPage !== before.lastPage;
    if (page.total !== undefined && isResized) this.#changes.disturb();
    return false;
  }

  #demandProgress({ number, lastPage }: Page, isCopy: boolean, request: RequestInfo): void {
    const max = lastPage === undefined ? maxStale.withoutLastPage : maxStale.withLastPage;
    if (isCopy || ++this.#stale > max) {
      throw unreadable(`Page ${number} of the list repeats earlier records`, request);
    }
  }

  /** Reads the pages before again, as far back as they hold what has not come. */
  async #readBack(from: number, before: Page): Promise<ReadBack & { pages: Page[] }> {
    const pages: Page[] = [];
    const lateBefore = this.#arrivals.count();
    let found = 0;
    let now: string[] = [];
    for (let number = from; number >= 1 && number > from - maxReadBack; number--) {
      const page = await this.#source.readBack(number);
      this.#changes.count(page);
      if (isCutShort(page, this.#positions.size)) this.#changes.disturb();
      if (number === from) now = keysOf(page);
      const rows = this.#take(page.rows, page.rows.map(fingerprintOf));
      // Behind an empty page, what moved up may be further in front.
      if (rows.length === 0 && page.rows.length > 0) break;
      found += rows.length;
      if (rows.length > 0) pages.unshift({ ...page, rows });
    }
    const rest = now.slice(0, Math.max(now.length - found, 0));
    const keysBefore = keysOf(before);
    return {
      pages,
      found,
      late: this.#arrivals.count() - lateBefore,
      isSame: sameKeys(now, keysBefore),
      isMovedUp: found > 0 && pages.length === 1 && rest.every((key) => keysBefore.includes(key)),
    };
  }

  #next(page: Page, repeated: number, overlap: number): number | undefined {
    const { number, lastPage = 0 } = page;
    const claim = claimOf(page, this.#here.size - this.#surplus());
    if (claim === 'end') return undefined;
    if (this.#empty >= (claim === 'unknown' ? maxEmpty.withoutClaim : maxEmpty.withClaim)) {
      if (lastPage > number) {
        this.#gap = `The list has ${lastPage} pages, as the service says, but page ${number} and those before it are empty`;
      }
      return undefined;
    }
    this.#isProbing = claim !== 'more';
    // Where pages have become smaller, some of them hold what has come.
    const isCovered = overlap > 0 && repeated >= overlap;
    return (isCovered ? Math.max(number, this.#positions.lastReadPage) : number) + 1;
  }

  #surplus(): number {
    return this.#changes.surplus(this.#arrivals.count());
  }

  /** Gives what may have moved up into pages that were read long before. */
  async *#giveMissed(): AsyncGenerator<Page> {
    const last = this.#before;
    if (last?.total === undefined || this.#changes.isDisturbed(this.#young, last)) return;
    const { size } = this.#positions;
    for (const number of this.#arrivals.doubtful({ ...this.#changes.moves(), size })) {
      const page = await this.#source.readBack(number);
      const rows = this.#take(page.rows, page.rows.map(fingerprintOf));
      if (rows.length > 0) yield { ...page, rows };
      const isOther = isCutShort(page, size) || page.total !== last.total;
      if (rows.length > 0 || isOther) this.#changes.disturb();
    }
  }
}

/** Whether a page differs from the one before by more than its records: then it matters when it was asked for. */
function isUnexpected(page: Page, before: Page | undefined, repeated: number): boolean {
  const isLast = page.number === page.lastPage;
  return (
    repeated > 0 ||
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

/** Asked for a page past the last, some services answer that there is none. */
function isNoPage(error: unknown): boolean {
  return error instanceof Failure && [400, 404, 422].includes(error.details.status ?? 0);
}
