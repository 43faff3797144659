/**
 * Tracks how a list changes while it is read, and whether a record may have been missed. Records are missed if rows move
 * up across the boundary of two pages, because rows before it were deleted or moved to the end. Then `total` decreases,
 * rows are repeated, or a new row compensates for a deleted one.
 */
import type { ListPage } from './response.ts';
import { normalizeUtcTime, type Row } from './shape.ts';

/** The previous page, read again after the next one. */
export interface RereadPage {
  /** The number of records on it, and on pages before it, that were not read before. */
  newCount: number;
  /** The number of these records that may have been added since the reading began. */
  recentCount: number;
  /** The number of records that are no longer on the page. */
  removedCount: number;
  /** The decrease of `total` since the page was first read. */
  totalDecrease: number;
  /** Whether it has the same records as before. */
  isUnchanged: boolean;
  /** Whether some of its records are missing, and the new ones follow the remaining ones. */
  isMovedUp: boolean;
}

/** Tracks how the number of records in a list changes while it is read. */
export class ListChanges {
  #previousTotal: number | undefined;
  #totalIncrease = 0;
  #totalDecrease = 0;
  #isUnreliable = false;
  /** The increase of `total`, minus the rows that were repeated because of it. */
  #expectedShift = 0;
  /** The number of records that were added after the current position. */
  #addedAhead = 0;
  #deletedCount = 0;
  #addedBefore = 0;

  /** Records the total of a page: it may increase and decrease between two pages. */
  countTotal({ total }: ListPage): void {
    if (total !== undefined && this.#previousTotal !== undefined) {
      this.#totalIncrease += Math.max(total - this.#previousTotal, 0);
      this.#totalDecrease += Math.max(this.#previousTotal - total, 0);
    }
    this.#previousTotal = total;
  }

  /**
   * Returns whether to read the previous page again. `overlap` is the number of rows that are repeated because of their position, `excess` that of other repeated rows.
   */
  mustReread(page: ListPage, previous: ListPage, excess: number, overlap: number): boolean {
    // Without a total every boundary is checked, unless the pages overlap or both are empty.
    const isUnknown =
      page.total === undefined && overlap === 0 && page.rows.length + previous.rows.length > 0;
    return totalGrowth(page, previous) !== 0 || excess > 0 || isUnknown;
  }

  /** Returns whether added records have moved the repeated rows to this page. */
  isPushed(page: ListPage, previous: ListPage, excess: number): boolean {
    return excess <= this.#expectedShift + Math.max(totalGrowth(page, previous), 0);
  }

  /** Records the changes between a page and the previous one, which was read again. */
  countPage(page: ListPage, previous: ListPage, excess: number, reread: RereadPage): void {
    const { newCount, recentCount } = reread;
    const change = totalGrowth(page, previous);
    const isPushed = this.isPushed(page, previous, excess);
    // Records that were added before a page move the same number of rows to it: repeated ones instead of new ones.
    const addedBefore = isPushed ? Math.max(excess - newCount, 0) : 0;
    this.#addedAhead += Math.max(change, 0) - addedBefore;
    this.#expectedShift = Math.max(this.#expectedShift + Math.max(change, 0) - excess, 0);
    this.#addedBefore += addedBefore;
    // The number of rows that moved up across the boundary is the number of deleted ones before it.
    const movedUp = newCount - recentCount;
    this.#deletedCount += Math.min(Math.max(-change, 0), movedUp);
    // More rows are repeated than were added, or fewer moved up than were deleted: records were reordered.
    if (!isPushed || movedUp < -change) this.#isUnreliable = true;
    if (page.total === undefined && !reread.isUnchanged && !reread.isMovedUp) this.#isUnreliable = true;
    // More rows left the page than were moved off it or deleted: an added record compensates for a deleted one.
    const explained = excess + recentCount + Math.max(-change, reread.totalDecrease, 0);
    if (page.total !== undefined && reread.removedCount > explained) this.#isUnreliable = true;
  }

  /** Records that the pages have changed for an unknown reason. */
  markUnreliable(): void {
    this.#isUnreliable = true;
  }

  /**
   * Returns by how much the number of read records must exceed `total`: the records that were read and then deleted,
   * minus those that were added before the current position. `recentCount` is the number of records that were read and
   * were added in the meantime.
   */
  surplus(recentCount: number): number {
    return this.#deletedCount - Math.min(this.#addedBefore, Math.max(this.#totalIncrease - recentCount, 0));
  }

  /** Returns whether a record may have been missed. `recentCount` is the number of records that are newer than the reading. */
  isUnreliable(recentCount: number, last: ListPage | undefined): boolean {
    // Rereading after the last page found added rows, which may have moved the missing ones.
    const hasGrownSince = (this.#previousTotal ?? 0) > (last?.total ?? Infinity);
    // A record added while another is deleted leaves `total` unchanged, but has a recent date.
    const isHiddenChange = last?.total !== undefined && recentCount > this.#addedAhead;
    return (
      this.#isUnreliable ||
      (this.#totalIncrease > 0 && this.#totalDecrease > 0) ||
      isHiddenChange ||
      hasGrownSince
    );
  }

  /** Returns the increase and the decrease of the list, and the number of records that were added after the current position. */
  shifts(): { totalIncrease: number; totalDecrease: number; addedAhead: number } {
    return {
      totalIncrease: this.#totalIncrease,
      totalDecrease: this.#totalDecrease,
      addedAhead: this.#addedAhead,
    };
  }
}

/** Returns the increase of `total` since the previous page, negative for a decrease; 0 if one of them has no total. */
export function totalGrowth({ total }: ListPage, previous: ListPage): number {
  return total === undefined || previous.total === undefined ? 0 : total - previous.total;
}

/** The changes of a list that move its rows. */
export interface ListShifts {
  pageRows: number;
  /** The number of rows that were added: a missed record may have moved down by as many rows. */
  totalIncrease: number;
  /** The number of rows that were deleted: a missed record may have moved up by as many rows. */
  totalDecrease: number;
  /** The number of rows that were added after the current position. */
  addedAhead: number;
}

/** The maximum number of pages to read again for changed records: a fixed number plus a share of the pages. */
const maxRereadPages = { pages: 5, share: 0.02 } as const;

/**
 * Tracks records that may have been added to a list while it was read, because another record may have been missed
 * for each: a record that is deleted while another is added leaves `total` unchanged, and moves rows up across
 * the boundary of two pages. The dates of records and responses identify these pages, to the second.
 */
export class RecentRecords {
  readonly #pages: { time: string; isEarly: boolean; isFinal: boolean }[] = [];
  readonly #created = new Map<string, number>();
  readonly #changed = new Map<string, number>();
  #last: { date?: string | undefined; time?: string | undefined } = {};
  #startTime: string | undefined;
  /** The current day: most dates are of earlier days, which is quick to check. */
  #day = '';

  /**
   * Records a page that was read in order, with the `date` of its response. A prefetched page may be older than
   * the page before it.
   */
  recordPage(number: number, date: string | undefined, isEarly: boolean): void {
    // Pages of the same second are equivalent.
    if (date !== this.#last.date) this.#last = { date, time: parseHttpTime(date) };
    const { time } = this.#last;
    if (time === undefined) return;
    this.#pages[number] = { time, isEarly, isFinal: false };
    if (this.#startTime !== undefined) return;
    this.#startTime = time;
    this.#day = time.slice(0, '2026-01-31'.length);
  }

  /** Marks a page whose moved rows have been read again. */
  finishPage(number: number): void {
    const page = this.#pages[number];
    if (page) page.isFinal = true;
  }

  /** Records a row after the first page. `isNew`: no earlier reading has returned it. */
  recordRow({ created_at, updated_at }: Row, isNew: boolean): void {
    if (isNew && this.#isSinceStart(created_at)) increment(this.#created, created_at);
    else if (this.#isSinceStart(updated_at)) increment(this.#changed, updated_at);
  }

  /** Returns whether a record was created after the first page was read. */
  isCreatedSinceStart({ created_at }: Row): boolean {
    return this.#isSinceStart(created_at) && normalizeUtcTime(created_at) > (this.#startTime ?? '');
  }

  /** Returns how many records were created or changed since the first page was read. */
  count(): number {
    return sumCounts(this.#created) + sumCounts(this.#changed);
  }

  /** Returns the pages to read again for records that may have moved up to them, in descending order. */
  pagesToReread(list: ListShifts): number[] {
    // If `total` grew for all added records, none was missed because of them.
    if (this.count() <= list.addedAhead) return [];
    const numbers = this.#pagesAt(this.#created, list);
    const max = maxRereadPages.pages + Math.floor(this.#pages.length * maxRereadPages.share);
    for (const page of [...this.#pagesAt(this.#changed, list)].slice(0, max)) numbers.add(page);
    return [...numbers].sort((a, b) => b - a);
  }

  #isSinceStart(time: unknown): time is string {
    return (
      typeof time === 'string' &&
      time >= this.#day &&
      this.#startTime !== undefined &&
      normalizeUtcTime(time) >= this.#startTime
    );
  }

  /** Returns the pages whose boundary rows may have crossed at one of these times. */
  #pagesAt(
    times: ReadonlyMap<string, number>,
    { pageRows, totalIncrease, totalDecrease }: ListShifts,
  ): Set<number> {
    const pageNumbers = new Set<number>();
    const allTimes = [...times.keys()];
    if (allTimes.length === 0 || pageRows === 0) return pageNumbers;
    // If the clocks differ, any boundary may have been crossed.
    const latest = this.#pages.reduce((time, page) => (page.time > time ? page.time : time), '');
    const isUnknownPage = allTimes.some((time) => time > latest);
    this.#pages.forEach((page, number) => {
      const next = this.#pages[number + 1];
      if (next === undefined || (page.isFinal && !next.isEarly)) return;
      const [from, to] = page.time <= next.time ? [page.time, next.time] : [next.time, page.time];
      if (!isUnknownPage && !allTimes.some((time) => time >= from && time <= to)) return;
      const [first, last] = [
        number * pageRows - 1 - totalDecrease,
        number * pageRows - (next.isEarly ? 0 : 1) + totalIncrease,
      ];
      const end = Math.min(Math.floor(last / pageRows) + 1, this.#pages.length - 1);
      const start = Math.max(Math.floor(first / pageRows) + 1, 1);
      for (let pageNumber = start; pageNumber <= end; pageNumber++) pageNumbers.add(pageNumber);
    });
    return pageNumbers;
  }
}

function increment(times: Map<string, number>, time: string): void {
  times.set(normalizeUtcTime(time), (times.get(normalizeUtcTime(time)) ?? 0) + 1);
}

function sumCounts(times: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const count of times.values()) sum += count;
  return sum;
}

/** Converts an HTTP date to the format of dates in records; undefined for an invalid date. */
function parseHttpTime(date: string | undefined): string | undefined {
  const ms = Date.parse(date ?? '');
  return Number.isNaN(ms) ? undefined : normalizeUtcTime(new Date(ms).toISOString());
}
