/** Reads a list once from its first page to its last, and detects changes during the reading. */
import { Failure } from '../base/errors.ts';
import { growth, ListArrivals, ListChanges, type ReadBack } from './list-changes.ts';
import { PagePositions } from './page-positions.ts';
import type { RequestInfo } from './refusal.ts';
import { claimOf, isPastEnd, type ListPage, unreadableList } from './response.ts';
import {
  createSeenRecords,
  fingerprintOf,
  haveSameKeys,
  keysOf,
  maxRecords,
  type RecordFingerprint,
  type SeenRecords,
} from './seen-records.ts';
import type { Row } from './shape.ts';

/** A page, and its request. */
export interface ListedPage {
  page: ListPage;
  request: RequestInfo;
  /** Whether the page was requested before the previous page arrived, so that it may be older. */
  isEarly: boolean;
}

/** Provides the pages of a list. */
export interface PageSource {
  read(number: number): Promise<ListedPage>;
  /** Reads a page again. */
  readBack(number: number): Promise<ListPage>;
  /** Discards the pages that were requested early: the next page is requested again. */
  drop(): void;
}

/** The outcome of a reading. */
export interface Reading {
  /** The number of records in this reading. */
  distinctCount: number;
  /** The number of records that existed before this reading but that earlier readings missed. */
  missedCount: number;
  /** The total according to the last page. */
  total: number | undefined;
  /** How many more records than `total` the reading must contain. */
  surplus: number;
  /** Whether records may have been missed: some moved or were deleted meanwhile. */
  isDisturbed: boolean;
  /** Describes missing rows that no total shows. */
  gap: string | undefined;
}

/** The maximum number of pages. A longer list counts as endless. */
const maxPages = 100_000;

/** The list ends after this many empty pages in a row, even if the service claims that more follow. */
const maxEmpty = { withClaim: 3, withoutClaim: 2 };

/** The maximum number of pages that are read again for records that moved up. */
const maxReadBack = 5;

/** No service has smaller pages: a shorter first page is the whole list, unless the service says otherwise. */
const minPageRows = 10;

/** The maximum number of pages in a row without a new record. */
const maxStale = { withLastPage: 100, withoutLastPage: 3 };

/**
 * Reads a list once. If `total` changes, or a page begins with records that were read before, the previous page is
 * read again, and records that moved up into it are returned first. Without a total, every previous page is read
 * again.
 */
export class ListTraversal {
  readonly #source: PageSource;
  /** The records of all readings, including this one. */
  readonly #seen: SeenRecords;
  /** The records of this reading. */
  readonly #seenInReading: SeenRecords;
  readonly #knownBefore: number;
  readonly #positions = new PagePositions();
  readonly #changes = new ListChanges();
  readonly #arrivals = new ListArrivals();
  #previousPage: ListPage | undefined;
  #createdCount = 0;
  #emptyPages = 0;
  #stalePages = 0;
  /** Whether the next page is requested although the service doesn't say that there is one. */
  #isProbing = false;
  #gap: string | undefined;

  constructor(source: PageSource, seen: SeenRecords, isRepeated: boolean) {
    this.#source = source;
    this.#seen = seen;
    this.#seenInReading = isRepeated ? createSeenRecords() : seen;
    this.#knownBefore = seen.size;
  }

  /** Yields the pages with their new records. */
  async *pages(): AsyncGenerator<ListPage, Reading> {
    let number: number | undefined = 1;
    while (number !== undefined) {
      const listed = await this.#requestPage(number);
      number = listed && (yield* this.#yieldPage(listed));
    }
    yield* this.#yieldMissed();
    return {
      distinctCount: this.#seenInReading.size,
      missedCount: this.#seen.size - this.#knownBefore - this.#createdCount,
      total: this.#previousPage?.total,
      surplus: this.#surplus(),
      isDisturbed: this.#changes.isDisturbed(this.#createdCount, this.#previousPage),
      gap: this.#positions.gap ?? this.#gap,
    };
  }

  /** Requests a page. Returns undefined if there is no such page, and none was announced. */
  #requestPage(number: number): Promise<ListedPage | undefined> {
    return this.#source.read(number).catch((error: unknown) => {
      if (this.#isProbing && isNoPage(error)) return undefined;
      throw error;
    });
  }

  /** Yields the new records of a page. Returns the number of the next page; undefined at the end of the list. */
  async *#yieldPage({ page, request, isEarly }: ListedPage): AsyncGenerator<ListPage, number | undefined> {
    const fingerprints = page.rows.map(fingerprintOf);
    const repeated = fingerprints.filter((fingerprint) => this.#seenInReading.has(fingerprint)).length;
    // Changes between two pages can only be detected if these are requested one after the other.
    if (isEarly && isUnexpected(page, this.#previousPage, repeated)) {
      this.#source.drop();
      return page.number;
    }
    if (page.number > maxPages || this.#seen.size > maxRecords) {
      throw unreadableList(`The list continues after ${this.#seen.size} records`, request);
    }
    this.#seenInReading.expect(page.total ?? 0);
    this.#positions.measure(page, this.#previousPage);
    const missed = this.#positions.missedBefore(page, this.#previousPage);
    if (missed !== undefined) return missed;
    if (this.#isWholeList(page)) {
      yield page;
      this.#previousPage = page;
      return undefined;
    }
    this.#changes.count(page);
    this.#arrivals.recordAnswer(page.number, page.date, isEarly);
    const overlap = this.#positions.overlap(page);
    const fresh = this.#addRows(page.rows, fingerprints);
    const isPastEnd = yield* this.#compare(page, { repeated, overlap, fresh: fresh.length, request });
    if (isPastEnd) return undefined;
    this.#emptyPages = page.rows.length === 0 ? this.#emptyPages + 1 : 0;
    if (this.#emptyPages < 2) yield { ...page, rows: fresh };
    this.#positions.markRead(page);
    this.#previousPage = page;
    return this.#next(page, repeated, overlap);
  }

  /** Whether the first page is the whole list, because the service reports no further pages. */
  #isWholeList(page: ListPage): boolean {
    const isShort = page.rows.length === 0 && this.#seenInReading.size < minPageRows;
    return isShort && claimOf(page, this.#seenInReading.size) === 'unknown';
  }

  /** Returns the rows that no reading has seen. */
  #addRows(rows: readonly Row[], fingerprints: readonly RecordFingerprint[]): Row[] {
    const fresh = rows.filter((row, at) => {
      const fingerprint = fingerprints[at] as RecordFingerprint;
      const isNew = this.#seen.add(fingerprint);
      const isNewHere = this.#seenInReading === this.#seen ? isNew : this.#seenInReading.add(fingerprint);
      if (this.#previousPage !== undefined && isNewHere) this.#arrivals.recordRow(row, isNew);
      return isNew;
    });
    for (const row of fresh) if (this.#arrivals.isCreatedSince(row)) this.#createdCount++;
    return fresh;
  }

  /** Compares a page with the previous one, and yields records that moved up. Returns whether the list has ended. */
  async *#compare(
    page: ListPage,
    {
      repeated,
      overlap,
      fresh,
      request,
    }: { repeated: number; overlap: number; fresh: number; request: RequestInfo },
  ): AsyncGenerator<ListPage, boolean> {
    const [before, excess] = [this.#previousPage, repeated - overlap];
    if (!before) return false;
    if (this.#changes.mustReadBack(page, before, excess, overlap)) {
      const back = await this.#readBack(page.number - 1, before);
      this.#arrivals.finishPage(page.number - 1);
      yield* back.pages;
      const isStale = excess > 0 && repeated === page.rows.length && back.newCount === 0;
      if (isStale && !this.#changes.isPushed(page, before, excess)) {
        if ((page.lastPage ?? page.number) >= page.number) this.#changes.markDisturbed();
        if (isPastEnd(page, this.#seenInReading.size)) return true;
        this.#throwUnlessProgress(page, back.isSame && haveSameKeys(keysOf(page), keysOf(before)), request);
        if (back.isSame && page.perPage === undefined) this.#positions.shrink(page);
      }
      if (fresh + back.newCount > 0) this.#stalePages = 0;
      this.#changes.countPage(page, before, excess, back);
    }
    // The page size has changed without notice.
    const isResized = page.total === before.total && page.lastPage !== before.lastPage;
    if (page.total !== undefined && isResized) this.#changes.markDisturbed();
    return false;
  }

  #throwUnlessProgress({ number, lastPage }: ListPage, isCopy: boolean, request: RequestInfo): void {
    const max = lastPage === undefined ? maxStale.withoutLastPage : maxStale.withLastPage;
    if (isCopy || ++this.#stalePages > max) {
      throw unreadableList(`Page ${number} of the list repeats earlier records`, request);
    }
  }

  /** Reads the previous pages again, as long as they contain unseen records. */
  async #readBack(from: number, before: ListPage): Promise<ReadBack & { pages: ListPage[] }> {
    const pages: ListPage[] = [];
    const lateBefore = this.#arrivals.count();
    let [found, shrunk] = [0, 0];
    let now: string[] = [];
    for (let number = from; number >= 1 && number > from - maxReadBack; number--) {
      const page = await this.#source.readBack(number);
      this.#changes.count(page);
      if (isCutShort(page, this.#positions.size)) this.#changes.markDisturbed();
      if (number === from) [now, shrunk] = [keysOf(page), -growth(page, before)];
      const rows = this.#addRows(page.rows, page.rows.map(fingerprintOf));
      // After an empty page, rows may have moved up further.
      if (rows.length === 0 && page.rows.length > 0) break;
      found += rows.length;
      if (rows.length > 0) pages.unshift({ ...page, rows });
    }
    const rest = now.slice(0, Math.max(now.length - found, 0));
    const keysBefore = keysOf(before);
    return {
      pages,
      newCount: found,
      lateCount: this.#arrivals.count() - lateBefore,
      removedCount: keysBefore.filter((key) => !now.includes(key)).length,
      shrunk,
      isSame: haveSameKeys(now, keysBefore),
      isMovedUp: found > 0 && pages.length === 1 && rest.every((key) => keysBefore.includes(key)),
    };
  }

  #next(page: ListPage, repeated: number, overlap: number): number | undefined {
    const { number, lastPage = 0 } = page;
    const claim = claimOf(page, this.#seenInReading.size - this.#surplus());
    if (claim === 'end') return undefined;
    if (this.#emptyPages >= (claim === 'unknown' ? maxEmpty.withoutClaim : maxEmpty.withClaim)) {
      if (lastPage > number) {
        this.#gap = `The list has ${lastPage} pages, as the service says, but page ${number} and those before it are empty`;
      }
      return undefined;
    }
    this.#isProbing = claim !== 'more';
    // If pages have become smaller, some of them only repeat rows.
    const isCovered = overlap > 0 && repeated >= overlap;
    return (isCovered ? Math.max(number, this.#positions.lastReadPage) : number) + 1;
  }

  #surplus(): number {
    return this.#changes.surplus(this.#arrivals.count());
  }

  /** Yields the records that may have moved up into pages that were read long before. */
  async *#yieldMissed(): AsyncGenerator<ListPage> {
    const last = this.#previousPage;
    if (last?.total === undefined || this.#changes.isDisturbed(this.#createdCount, last)) return;
    const { size } = this.#positions;
    for (const number of this.#arrivals.pagesToReread({ ...this.#changes.moves(), size })) {
      const page = await this.#source.readBack(number);
      const rows = this.#addRows(page.rows, page.rows.map(fingerprintOf));
      if (rows.length > 0) yield { ...page, rows };
      const isOther = isCutShort(page, size) || page.total !== last.total;
      if (rows.length > 0 || isOther) this.#changes.markDisturbed();
    }
  }
}

/** Returns whether a page differs from the previous one in more than its records. */
function isUnexpected(page: ListPage, before: ListPage | undefined, repeated: number): boolean {
  const isLast = page.number === page.lastPage;
  return (
    repeated > 0 ||
    page.total !== before?.total ||
    page.lastPage !== before?.lastPage ||
    page.perPage !== before?.perPage ||
    (isLast ? page.rows.length === 0 : page.rows.length !== before?.rows.length)
  );
}

/** Returns whether a page lacks rows although other pages follow it. */
function isCutShort({ number, rows, lastPage }: ListPage, size: number): boolean {
  return rows.length < size && number < (lastPage ?? 0);
}

/** Returns whether the error says that there is no such page, as some services answer for a page past the end. */
function isNoPage(error: unknown): boolean {
  return error instanceof Failure && [400, 404, 422].includes(error.details.status ?? 0);
}
