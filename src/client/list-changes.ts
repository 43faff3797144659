/**
 * Tracks how a list changes while it is read, and whether a record may have been missed. Between two pages records
 * are missed if rows move up over the boundary: some rows before it were deleted, or moved to the end. Then `total`
 * falls, or rows come twice, or a newer row makes up for the deleted one.
 */
import type { ListPage } from './response.ts';
import { normalizeUtcTime, type Row } from './shape.ts';

/** The previous page, read again after the next one. */
export interface RereadPage {
  /** The number of records on it, and on pages before it, that were not read before. */
  newCount: number;
  /** How many of these may have been added to the list since the reading began. */
  recentCount: number;
  /** How many of its records are no longer on it. */
  removedCount: number;
  /** By how much `total` is lower than when it was first read. */
  totalDecrease: number;
  /** Whether it has the same records as before. */
  isUnchanged: boolean;
  /** Whether some of its records are missing, and the new ones follow the rest. */
  isMovedUp: boolean;
}

/** How the number of records in a list changed while it was read. */
export class ListChanges {
  previousTotal: number | undefined;
  #grown = 0;
  #shrunk = 0;
  #isDisturbed = false;
  /** The growth of `total`, minus the rows that came twice because of it. */
  #credit = 0;
  /** The growth for records that are still to be read. */
  #added = 0;
  #removed = 0;
  #passed = 0;

  /** Counts a response: `total` may rise and fall between two pages. */
  countTotal({ total }: ListPage): void {
    if (total !== undefined && this.previousTotal !== undefined) {
      this.#grown += Math.max(total - this.previousTotal, 0);
      this.#shrunk += Math.max(this.previousTotal - total, 0);
    }
    this.previousTotal = total;
  }

  /**
   * Returns whether to read the previous page again. `overlap` counts rows that repeat by position, `excess` others.
   */
  mustReread(page: ListPage, previous: ListPage, excess: number, overlap: number): boolean {
    // Without a total every boundary is checked, unless the pages overlap or both are empty.
    const isUnknown =
      page.total === undefined && overlap === 0 && page.rows.length + previous.rows.length > 0;
    return totalGrowth(page, previous) !== 0 || excess > 0 || isUnknown;
  }

  /** Returns whether added records have pushed the repeated rows on to this page. */
  isPushed(page: ListPage, previous: ListPage, excess: number): boolean {
    return excess <= this.#credit + Math.max(totalGrowth(page, previous), 0);
  }

  /** Counts a page, with what was read again for it. */
  countPage(page: ListPage, previous: ListPage, excess: number, reread: RereadPage): void {
    const { newCount, recentCount } = reread;
    const change = totalGrowth(page, previous);
    const isPushed = this.isPushed(page, previous, excess);
    // Records added before a page push as many rows on to it: known ones, instead of new ones.
    const addedBefore = isPushed ? Math.max(excess - newCount, 0) : 0;
    this.#added += Math.max(change, 0) - addedBefore;
    this.#credit = Math.max(this.#credit + Math.max(change, 0) - excess, 0);
    this.#passed += addedBefore;
    // As many rows as moved up over the boundary were deleted before it.
    const movedUp = newCount - recentCount;
    this.#removed += Math.min(Math.max(-change, 0), movedUp);
    // More rows are repeated than were added, or fewer moved up than were deleted: records were reordered.
    if (!isPushed || movedUp < -change) this.#isDisturbed = true;
    if (page.total === undefined && !reread.isUnchanged && !reread.isMovedUp) this.#isDisturbed = true;
    // More left the page than were pushed off it or deleted: an added record makes up for a deleted one.
    const explained = excess + recentCount + Math.max(-change, reread.totalDecrease, 0);
    if (page.total !== undefined && reread.removedCount > explained) this.#isDisturbed = true;
  }

  /** Notes that the pages have changed for an unknown reason. */
  markUnreliable(): void {
    this.#isDisturbed = true;
  }

  /**
   * Returns how many more records than the service counts have to be read: those read and then deleted, minus those
   * added before the current position. `late` counts those that were added meanwhile and were read.
   */
  surplus(recentCount: number): number {
    return this.#removed - Math.min(this.#passed, Math.max(this.#grown - recentCount, 0));
  }

  /** Returns whether a record may have been missed. `young` counts those that are newer than the reading. */
  isUnreliable(recentCount: number, last: ListPage | undefined): boolean {
    // Reading back after the last page showed added rows, which may have pushed on the missing ones.
    const hasGrownSince = (this.previousTotal ?? 0) > (last?.total ?? Infinity);
    // A record added while another is deleted leaves `total` unchanged: its date shows it.
    const isHiddenChange = last?.total !== undefined && recentCount > this.#added;
    return this.#isDisturbed || (this.#grown > 0 && this.#shrunk > 0) || isHiddenChange || hasGrownSince;
  }

  /** Returns by how many records the list grew and shrank in total, and for how many that were still to be read. */
  shifts(): { totalIncrease: number; totalDecrease: number; addedAhead: number } {
    return { totalIncrease: this.#grown, totalDecrease: this.#shrunk, addedAhead: this.#added };
  }
}

/** Returns by how much `total` grew from one page to the other; 0 if one of them has none. */
export function totalGrowth({ total }: ListPage, previous: ListPage): number {
  return total === undefined || previous.total === undefined ? 0 : total - previous.total;
}

/** By how much a list has moved. */
export interface ListShifts {
  /** The number of rows of a page. */
  pageRows: number;
  /** By how many rows it grew and shrank: a missed record may have moved as far. */
  totalIncrease: number;
  totalDecrease: number;
  /** By how many records that were still to be read it grew. */
  addedAhead: number;
}

/** The number of pages that are read again for changed records, plus a share of those read. */
const maxRereadPages = { pages: 5, share: 0.02 } as const;

/**
 * Tracks records that may have been added to a list while it was read, because another record may have been missed
 * for each: a record that is deleted while another is added leaves `total` unchanged, and moves rows up over the
 * boundary of two pages. The dates of records and responses show which pages those are, to the second.
 */
export class RecentRecords {
  readonly #pages: { time: string; isEarly: boolean; isFinal: boolean }[] = [];
  readonly #created = new Map<string, number>();
  readonly #changed = new Map<string, number>();
  #last: { date?: string | undefined; time?: string | undefined } = {};
  #began: string | undefined;
  /** The current day: most dates are of earlier days, which is quick to check. */
  #day = '';

  /**
   * Records a page that was read in order, with the `date` of its response. An early one may be older than the page
   * before it.
   */
  recordPage(number: number, date: string | undefined, isEarly: boolean): void {
    // Pages of the same second are equivalent.
    if (date !== this.#last.date) this.#last = { date, time: parseHttpTime(date) };
    const { time } = this.#last;
    if (time === undefined) return;
    this.#pages[number] = { time: time, isEarly, isFinal: false };
    if (this.#began !== undefined) return;
    this.#began = time;
    this.#day = time.slice(0, '2026-01-31'.length);
  }

  /** Records what had moved up into a page when the next one was returned. */
  finishPage(number: number): void {
    const page = this.#pages[number];
    if (page) page.isFinal = true;
  }

  /** Records a row after the first page, and whether no earlier reading had it. */
  recordRow({ created_at, updated_at }: Row, isNew: boolean): void {
    if (isNew && this.#isSince(created_at)) increment(this.#created, created_at);
    else if (this.#isSince(updated_at)) increment(this.#changed, updated_at);
  }

  /** Returns whether a record was created after the first page was read. */
  isCreatedSince({ created_at }: Row): boolean {
    return this.#isSince(created_at) && normalizeUtcTime(created_at) > (this.#began ?? '');
  }

  /** Returns how many records were created or changed since the first page was read. */
  count(): number {
    return sumCounts(this.#created) + sumCounts(this.#changed);
  }

  /** Returns the pages to read again, the last one first, for records that may have moved up into them. */
  pagesToReread(list: ListShifts): number[] {
    // If `total` grew for all added records, none was missed because of them.
    if (this.count() <= list.addedAhead) return [];
    const newCount = this.#pagesAt(this.#created, list);
    const max = maxRereadPages.pages + Math.floor(this.#pages.length * maxRereadPages.share);
    for (const page of [...this.#pagesAt(this.#changed, list)].slice(0, max)) newCount.add(page);
    return [...newCount].sort((some, other) => other - some);
  }

  #isSince(time: unknown): time is string {
    return (
      typeof time === 'string' &&
      time >= this.#day &&
      this.#began !== undefined &&
      normalizeUtcTime(time) >= this.#began
    );
  }

  /** Returns the pages whose boundary rows may have crossed in one of these seconds. */
  #pagesAt(
    times: ReadonlyMap<string, number>,
    { pageRows, totalIncrease, totalDecrease }: ListShifts,
  ): Set<number> {
    const newCount = new Set<number>();
    const all = [...times.keys()];
    if (all.length === 0 || pageRows === 0) return newCount;
    // If the clocks differ, it may have been anywhere.
    const latest = this.#pages.reduce((time, page) => (page.time > time ? page.time : time), '');
    const isUnknownPage = all.some((time) => time > latest);
    this.#pages.forEach((page, number) => {
      const next = this.#pages[number + 1];
      if (next === undefined || (page.isFinal && !next.isEarly)) return;
      const [from, to] = page.time <= next.time ? [page.time, next.time] : [next.time, page.time];
      if (!isUnknownPage && !all.some((time) => time >= from && time <= to)) return;
      const [first, last] = [
        number * pageRows - 1 - totalDecrease,
        number * pageRows - (next.isEarly ? 0 : 1) + totalIncrease,
      ];
      const end = Math.min(Math.floor(last / pageRows) + 1, this.#pages.length - 1);
      for (let each = Math.max(Math.floor(first / pageRows) + 1, 1); each <= end; each++) newCount.add(each);
    });
    return newCount;
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

/** Returns HTTP's date in the format of the records' own dates. */
function parseHttpTime(date: string | undefined): string | undefined {
  const ms = Date.parse(date ?? '');
  return Number.isNaN(ms) ? undefined : normalizeUtcTime(new Date(ms).toISOString());
}
