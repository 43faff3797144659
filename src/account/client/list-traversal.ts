/** Reads a list once from its first page to its last, and detects changes during the reading. */
import { Failure } from '../../base/errors.ts';
import { ListChanges, RecentRecords, type RereadPage, totalGrowth } from './list-changes.ts';
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

export interface RequestedPage {
  page: ListPage;
  request: RequestInfo;
  /** Whether the page was requested before the previous page arrived, so that it may be older than that page. */
  isEarly: boolean;
}

/** Provides the pages of a list. */
export interface PageSource {
  read(number: number): Promise<RequestedPage>;
  /** Reads a page again. */
  reread(number: number): Promise<ListPage>;
  /** Discards the prefetched pages: the next page is requested again. */
  discardPrefetched(): void;
}

/** The result of reading a list once. */
export interface TraversalResult {
  /** The number of records in this reading. */
  distinctCount: number;
  /** The number of records that earlier readings missed although they already existed. */
  missedCount: number;
  /** The total according to the last page. */
  total: number | undefined;
  /** The number of records that the reading must contain in addition to `total`. */
  surplus: number;
  /** Whether records may have been missed, because some moved or were deleted in the meantime. */
  isUnreliable: boolean;
  /** Describes missing rows of a list without a total. */
  gap: string | undefined;
}

/** The maximum number of pages. A longer list counts as endless. */
const maxPages = 100_000;

/** The maximum number of consecutive empty pages, after which the list ends even if the service reports more pages. */
const maxEmptyPages = { withClaim: 3, withoutClaim: 2 };

/** The maximum number of pages that are read again for records that moved up. */
const maxRereadPages = 5;

/** The minimum page size of services: a shorter first page is the whole list, unless the service reports more pages. */
const minPageRows = 10;

/** The maximum number of consecutive pages without a new record. */
const maxStalePages = { withLastPage: 100, withoutLastPage: 3 };

/** A page's request, and its repeated, overlapping and new rows. */
type PageCounts = { repeated: number; overlap: number; newCount: number; request: RequestInfo };

/**
 * Reads a list once. If `total` changes, or a page begins with repeated records, the previous page is read again, and
 * records that moved up to it are returned first. Without a total, every previous page is read again.
 */
export class ListTraversal {
  readonly #source: PageSource;
  /** The records of all readings, including this one. */
  readonly #seenRecords: SeenRecords;
  readonly #seenInReading: SeenRecords;
  readonly #previousSize: number;
  readonly #positions = new PagePositions();
  readonly #changes = new ListChanges();
  readonly #recentRecords = new RecentRecords();
  #previousPage: ListPage | undefined;
  #createdCount = 0;
  #emptyPages = 0;
  #stalePages = 0;
  /** Whether the next page is requested although the service doesn't say that there is one. */
  #isProbing = false;
  #gap: string | undefined;

  constructor(source: PageSource, seenRecords: SeenRecords, isRepeated: boolean) {
    this.#source = source;
    this.#seenRecords = seenRecords;
    this.#seenInReading = isRepeated ? createSeenRecords() : seenRecords;
    this.#previousSize = seenRecords.size;
  }

  /** Yields the pages with their new records. */
  async *pages(): AsyncGenerator<ListPage, TraversalResult> {
    let number: number | undefined = 1;
    while (number !== undefined) {
      const requested = await this.#requestPage(number);
      number = requested && (yield* this.#yieldPage(requested));
    }
    yield* this.#yieldMissed();
    return {
      distinctCount: this.#seenInReading.size,
      missedCount: this.#seenRecords.size - this.#previousSize - this.#createdCount,
      total: this.#previousPage?.total,
      surplus: this.#surplus(),
      isUnreliable: this.#changes.isUnreliable(this.#createdCount, this.#previousPage),
      gap: this.#positions.gap ?? this.#gap,
    };
  }

  /** Requests a page. Returns undefined if the page doesn't exist, and the service hasn't reported it. */
  #requestPage(number: number): Promise<RequestedPage | undefined> {
    return this.#source.read(number).catch((error: unknown) => {
      if (this.#isProbing && isNoPage(error)) return undefined;
      throw error;
    });
  }

  /** Yields the new records of a page. Returns the number of the next page; undefined at the end of the list. */
  async *#yieldPage({ page, request, isEarly }: RequestedPage): AsyncGenerator<ListPage, number | undefined> {
    const fingerprints = page.rows.map(fingerprintOf);
    const repeated = fingerprints.filter((fingerprint) => this.#seenInReading.has(fingerprint)).length;
    // Changes between two pages can only be detected if these are requested one after the other.
    if (isEarly && isUnexpected(page, this.#previousPage, repeated)) {
      this.#source.discardPrefetched();
      return page.number;
    }
    if (page.number > maxPages || this.#seenRecords.size > maxRecords) {
      throw unreadableList(`The list continues after ${this.#seenRecords.size} records`, request);
    }
    this.#seenInReading.expect(page.total ?? 0);
    this.#positions.updatePageSize(page, this.#previousPage);
    const pageBeforeGap = this.#positions.pageBeforeGap(page, this.#previousPage);
    if (pageBeforeGap !== undefined) return pageBeforeGap;
    if (this.#isWholeList(page)) {
      yield page;
      this.#previousPage = page;
      return undefined;
    }
    this.#changes.countTotal(page);
    this.#recentRecords.recordPage(page.number, page.date, isEarly);
    const overlap = this.#positions.overlap(page);
    const newRows = this.#addRows(page.rows, fingerprints);
    const hasEnded = yield* this.#compare(page, { repeated, overlap, newCount: newRows.length, request });
    if (hasEnded) return undefined;
    this.#emptyPages = page.rows.length === 0 ? this.#emptyPages + 1 : 0;
    if (this.#emptyPages < 2) yield { ...page, rows: newRows };
    this.#positions.markRead(page);
    this.#previousPage = page;
    return this.#nextPage(page, repeated, overlap);
  }

  /** Returns whether the first page is the whole list, because the service reports no further pages. */
  #isWholeList(page: ListPage): boolean {
    const isShort = page.rows.length === 0 && this.#seenInReading.size < minPageRows;
    return isShort && claimOf(page, this.#seenInReading.size) === 'unknown';
  }

  /** Records rows as seen, and returns those that no reading has returned before. */
  #addRows(rows: readonly Row[], fingerprints: readonly RecordFingerprint[]): Row[] {
    const newRows = rows.filter((row, index) => {
      const fingerprint = fingerprints[index] as RecordFingerprint;
      const isNew = this.#seenRecords.add(fingerprint);
      const isNewHere =
        this.#seenInReading === this.#seenRecords ? isNew : this.#seenInReading.add(fingerprint);
      if (this.#previousPage !== undefined && isNewHere) this.#recentRecords.recordRow(row, isNew);
      return isNew;
    });
    for (const row of newRows) if (this.#recentRecords.isCreatedSinceStart(row)) this.#createdCount++;
    return newRows;
  }

  /** Compares a page with the previous one, and yields records that moved up. Returns whether the list has ended. */
  async *#compare(
    page: ListPage,
    { repeated, overlap, newCount, request }: PageCounts,
  ): AsyncGenerator<ListPage, boolean> {
    const [previous, excess] = [this.#previousPage, repeated - overlap];
    if (!previous) return false;
    if (this.#changes.mustReread(page, previous, excess, overlap)) {
      const reread = await this.#rereadPrevious(page.number - 1, previous);
      this.#recentRecords.finishPage(page.number - 1);
      yield* reread.pages;
      const isStale = excess > 0 && repeated === page.rows.length && reread.newCount === 0;
      if (isStale && !this.#changes.isPushed(page, previous, excess)) {
        if ((page.lastPage ?? page.number) >= page.number) this.#changes.markUnreliable();
        if (isPastEnd(page, this.#seenInReading.size)) return true;
        const isCopy = reread.isUnchanged && haveSameKeys(keysOf(page), keysOf(previous));
        this.#throwUnlessProgress(page, isCopy, request);
        if (reread.isUnchanged && page.perPage === undefined) this.#positions.reducePageSize(page);
      }
      if (newCount + reread.newCount > 0) this.#stalePages = 0;
      this.#changes.countPage(page, previous, excess, reread);
    }
    // The page size has changed, although `per_page` hasn't.
    const isResized = page.total === previous.total && page.lastPage !== previous.lastPage;
    if (page.total !== undefined && isResized) this.#changes.markUnreliable();
    return false;
  }

  #throwUnlessProgress({ number, lastPage }: ListPage, isCopy: boolean, request: RequestInfo): void {
    const max = lastPage === undefined ? maxStalePages.withoutLastPage : maxStalePages.withLastPage;
    if (isCopy || ++this.#stalePages > max) {
      throw unreadableList(`Page ${number} of the list repeats earlier records`, request);
    }
  }

  /** Reads the previous pages again, as long as they contain unseen records. */
  async #rereadPrevious(from: number, previous: ListPage): Promise<RereadPage & { pages: ListPage[] }> {
    const pages: ListPage[] = [];
    const recentBefore = this.#recentRecords.count();
    let [newCount, totalDecrease] = [0, 0];
    let currentKeys: string[] = [];
    for (let number = from; number >= 1 && number > from - maxRereadPages; number--) {
      const page = await this.#source.reread(number);
      this.#changes.countTotal(page);
      if (isCutShort(page, this.#positions.size)) this.#changes.markUnreliable();
      if (number === from) [currentKeys, totalDecrease] = [keysOf(page), -totalGrowth(page, previous)];
      const rows = this.#addRows(page.rows, page.rows.map(fingerprintOf));
      // After an empty page, rows may have moved up further.
      if (rows.length === 0 && page.rows.length > 0) break;
      newCount += rows.length;
      if (rows.length > 0) pages.unshift({ ...page, rows });
    }
    const remainingKeys = currentKeys.slice(0, Math.max(currentKeys.length - newCount, 0));
    const previousKeys = keysOf(previous);
    return {
      pages,
      newCount,
      recentCount: this.#recentRecords.count() - recentBefore,
      removedCount: previousKeys.filter((key) => !currentKeys.includes(key)).length,
      totalDecrease,
      isUnchanged: haveSameKeys(currentKeys, previousKeys),
      isMovedUp:
        newCount > 0 && pages.length === 1 && remainingKeys.every((key) => previousKeys.includes(key)),
    };
  }

  #nextPage(page: ListPage, repeated: number, overlap: number): number | undefined {
    const { number, lastPage = 0 } = page;
    const claim = claimOf(page, this.#seenInReading.size - this.#surplus());
    if (claim === 'end') return undefined;
    if (this.#emptyPages >= (claim === 'unknown' ? maxEmptyPages.withoutClaim : maxEmptyPages.withClaim)) {
      if (lastPage > number) {
        this.#gap = `The service reports ${lastPage} pages, but page ${number} and those before it are empty`;
      }
      return undefined;
    }
    this.#isProbing = claim !== 'more';
    // If pages have become smaller, some of them only repeat rows.
    const isCovered = overlap > 0 && repeated >= overlap;
    return (isCovered ? Math.max(number, this.#positions.lastReadPage) : number) + 1;
  }

  #surplus(): number {
    return this.#changes.surplus(this.#recentRecords.count());
  }

  /** Yields the records that may have moved up to pages that were read long before. */
  async *#yieldMissed(): AsyncGenerator<ListPage> {
    const last = this.#previousPage;
    if (last?.total === undefined || this.#changes.isUnreliable(this.#createdCount, last)) return;
    const { size } = this.#positions;
    for (const number of this.#recentRecords.pagesToReread({ ...this.#changes.shifts(), pageRows: size })) {
      const page = await this.#source.reread(number);
      const rows = this.#addRows(page.rows, page.rows.map(fingerprintOf));
      if (rows.length > 0) yield { ...page, rows };
      const hasChanged = isCutShort(page, size) || page.total !== last.total;
      if (rows.length > 0 || hasChanged) this.#changes.markUnreliable();
    }
  }
}

/** Returns whether a page differs from the previous one in more than its records. */
function isUnexpected(page: ListPage, previous: ListPage | undefined, repeated: number): boolean {
  const isLast = page.number === page.lastPage;
  return (
    repeated > 0 ||
    page.total !== previous?.total ||
    page.lastPage !== previous?.lastPage ||
    page.perPage !== previous?.perPage ||
    (isLast ? page.rows.length === 0 : page.rows.length !== previous?.rows.length)
  );
}

/** Returns whether a page has too few rows although other pages follow it. */
function isCutShort({ number, rows, lastPage }: ListPage, size: number): boolean {
  return rows.length < size && number < (lastPage ?? 0);
}

/** Returns whether the error means that the page doesn't exist: some services return one for a page past the end. */
function isNoPage(error: unknown): boolean {
  return error instanceof Failure && [400, 404, 422].includes(error.details.status ?? 0);
}

/** The maximum number of pages to go back to for the next row if the page size keeps changing. */
const maxSearchSteps = 3;

/** Tracks which rows have been read, by numbers and sizes of pages: `per_page` may be wrong, missing, or change. */
class PagePositions {
  /** The number of rows from the start of the list that have been read. */
  #position = 0;
  #size = 0;
  #step = { position: -1, size: 0, count: 0 };
  #gap: string | undefined;

  /** The number of rows of a page. */
  get size(): number {
    return this.#size;
  }

  /** Describes the first rows that are missing although later ones were read. */
  get gap(): string | undefined {
    return this.#gap;
  }

  /** The number of the last page whose rows have all been read. */
  get lastReadPage(): number {
    return Math.floor(this.#position / this.#size);
  }

  updatePageSize(page: ListPage, previous: ListPage | undefined): void {
    this.#size = Math.max(changedSize(page, previous) ?? this.#size, page.rows.length);
  }

  /** Returns the page to read instead, if rows before this page would be skipped. */
  pageBeforeGap(page: ListPage, previous: ListPage | undefined): number | undefined {
    const start = this.#startOf(page);
    const [position, size] = [this.#position, this.#size];
    const isSized = page.rows.length > 0 || page.perPage !== previous?.perPage;
    if (start <= position || !isSized) return undefined;
    if (this.#step.position !== position) this.#step = { position, size: 0, count: 0 };
    if (this.#step.size !== size && this.#step.count < maxSearchSteps) {
      this.#step = { position, size, count: this.#step.count + 1 };
      return Math.floor(position / size) + 1;
    }
    this.#gap ??= `Rows ${position + 1} to ${start} of the list are missing, though later rows exist`;
    this.#position = start;
    return undefined;
  }

  /** Returns how many rows of this page were read before, according to its position. */
  overlap(page: ListPage): number {
    return Math.min(Math.max(this.#position - this.#startOf(page), 0), page.rows.length);
  }

  /** Records that all rows up to this page have been read. */
  markRead(page: ListPage): void {
    this.#position = Math.max(this.#position, this.#startOf(page) + page.rows.length);
  }

  /** Reduces the page size to the number of rows of a page, if the service doesn't report a change. */
  reducePageSize({ rows }: ListPage): void {
    this.#size = Math.min(this.#size, rows.length);
  }

  #startOf({ number }: ListPage): number {
    return (number - 1) * this.#size;
  }
}

/** Returns a changed `per_page` if the rows confirm it. */
function changedSize(page: ListPage, previous: ListPage | undefined): number | undefined {
  const { number, rows, perPage, lastPage, hasNext } = page;
  const isLast = hasNext !== true && (lastPage ?? 0) <= number;
  const isSound = rows.length === perPage || rows.length === 0 || isLast;
  return previous !== undefined && perPage !== previous.perPage && isSound ? perPage : undefined;
}
