/**
 * Tracks how a list changes while it is read, and whether a record may have been missed. Between two pages records
 * are missed if rows move up over the boundary: some rows before it were deleted, or moved to the end. Then `total`
 * falls, or rows come twice, or a newer row makes up for the deleted one.
 */
import type { ListPage } from './response.ts';
import { normalizeUtcTime, type Row } from './shape.ts';

/** The previous page, read again after the next one. */
export interface ReadBack {
  /** The number of records on it, and on pages before it, that were not read before. */
  newCount: number;
  /** How many of these may have been added to the list since the reading began. */
  lateCount: number;
  /** How many of its records are no longer on it. */
  removedCount: number;
  /** By how much `total` is lower than when it was first read. */
  shrunk: number;
  /** Whether it has the same records as before. */
  isSame: boolean;
  /** Whether some of its records are missing, and the new ones follow the rest. */
  isMovedUp: boolean;
}

/** How the number of records in a list changed while it was read. */
export class ListChanges {
  #totalBefore: number | undefined;
  #grown = 0;
  #shrunk = 0;
  #isDisturbed = false;
  /** The growth of `total`, minus the rows that came twice because of it. */
  #credit = 0;
  /** The growth for records that are still to be read. */
  #added = 0;
  #removed = 0;
  #passed = 0;

  /** Counts an answer: `total` may rise and fall between two pages. */
  count({ total }: ListPage): void {
    if (total !== undefined && this.#totalBefore !== undefined) {
      this.#grown += Math.max(total - this.#totalBefore, 0);
      this.#shrunk += Math.max(this.#totalBefore - total, 0);
    }
    this.#totalBefore = total;
  }

  /**
   * Returns whether to read the previous page again. `overlap` counts rows that repeat by position, `excess` others.
   */
  mustReadBack(page: ListPage, before: ListPage, excess: number, overlap: number): boolean {
    // Without a total every boundary is checked, unless the pages overlap or both are empty.
    const isUnknown = page.total === undefined && overlap === 0 && page.rows.length + before.rows.length > 0;
    return growth(page, before) !== 0 || excess > 0 || isUnknown;
  }

  /** Returns whether added records have pushed the repeated rows on to this page. */
  isPushed(page: ListPage, before: ListPage, excess: number): boolean {
    return excess <= this.#credit + Math.max(growth(page, before), 0);
  }

  /** Counts a page, with what was read again for it. */
  countPage(page: ListPage, before: ListPage, excess: number, back: ReadBack): void {
    const { newCount: found, lateCount: late } = back;
    const change = growth(page, before);
    const isPushed = this.isPushed(page, before, excess);
    // Records added before a page push as many rows on to it: known ones, instead of new ones.
    const inFront = isPushed ? Math.max(excess - found, 0) : 0;
    this.#added += Math.max(change, 0) - inFront;
    this.#credit = Math.max(this.#credit + Math.max(change, 0) - excess, 0);
    this.#passed += inFront;
    // As many rows as moved up over the boundary were deleted before it.
    const movedUp = found - late;
    this.#removed += Math.min(Math.max(-change, 0), movedUp);
    // More rows are repeated than were added, or fewer moved up than were deleted: records were reordered.
    if (!isPushed || movedUp < -change) this.#isDisturbed = true;
    if (page.total === undefined && !back.isSame && !back.isMovedUp) this.#isDisturbed = true;
    // More left the page than were pushed off it or deleted: an added record makes up for a deleted one.
    const explained = excess + late + Math.max(-change, back.shrunk, 0);
    if (page.total !== undefined && back.removedCount > explained) this.#isDisturbed = true;
  }

  /** Notes that the pages have changed for an unknown reason. */
  markDisturbed(): void {
    this.#isDisturbed = true;
  }

  /**
   * Returns how many more records than the service counts have to be read: those read and then deleted, minus those
   * added before the current position. `late` counts those that were added meanwhile and were read.
   */
  surplus(late: number): number {
    return this.#removed - Math.min(this.#passed, Math.max(this.#grown - late, 0));
  }

  /** Returns whether a record may have been missed. `young` counts those that are newer than the reading. */
  isDisturbed(young: number, last: ListPage | undefined): boolean {
    // Reading back after the last page showed added rows, which may have pushed on the missing ones.
    const hasGrownSince = (this.#totalBefore ?? 0) > (last?.total ?? Infinity);
    // A record added while another is deleted leaves `total` unchanged: its date shows it.
    const isHiddenChange = last?.total !== undefined && young > this.#added;
    return this.#isDisturbed || (this.#grown > 0 && this.#shrunk > 0) || isHiddenChange || hasGrownSince;
  }

  /** Returns by how many records the list grew and shrank in total, and for how many that were still to be read. */
  moves(): { grown: number; shrunk: number; added: number } {
    return { grown: this.#grown, shrunk: this.#shrunk, added: this.#added };
  }
}

/** Returns by how much `total` grew from one page to the other; 0 if one of them has none. */
export function growth({ total }: ListPage, before: ListPage): number {
  return total === undefined || before.total === undefined ? 0 : total - before.total;
}

/** By how much a list has moved. */
export interface ListMoves {
  /** The number of rows of a page. */
  size: number;
  /** By how many rows it grew and shrank: a missed record may have moved as far. */
  grown: number;
  shrunk: number;
  /** By how many records that were still to be read it grew. */
  added: number;
}

/** The number of pages that are read again for changed records, plus a share of those read. */
const maxForChanged = { pages: 5, share: 0.02 } as const;

/**
 * Tracks records that may have been added to a list while it was read, because another record may have been missed
 * for each: a record that is deleted while another is added leaves `total` unchanged, and moves rows up over the
 * boundary of two pages. The dates of records and answers show which pages those are, to the second.
 */
export class ListArrivals {
  readonly #pages: { at: string; isEarly: boolean; isSettled: boolean }[] = [];
  readonly #created = new Map<string, number>();
  readonly #changed = new Map<string, number>();
  #last: { date?: string | undefined; at?: string | undefined } = {};
  #began: string | undefined;
  /** The current day: most dates are of earlier days, which is quick to check. */
  #day = '';

  /**
   * Records a page that was read in order, with the `date` of its answer. An early one may be older than the page
   * before it.
   */
  recordAnswer(number: number, date: string | undefined, isEarly: boolean): void {
    // Pages of the same second are equivalent.
    if (date !== this.#last.date) this.#last = { date, at: momentOf(date) };
    const { at } = this.#last;
    if (at === undefined) return;
    this.#pages[number] = { at, isEarly, isSettled: false };
    if (this.#began !== undefined) return;
    this.#began = at;
    this.#day = at.slice(0, '2026-01-31'.length);
  }

  /** Records what had moved up into a page when the next one was returned. */
  finishPage(number: number): void {
    const page = this.#pages[number];
    if (page) page.isSettled = true;
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
    return sumOf(this.#created) + sumOf(this.#changed);
  }

  /** Returns the pages to read again, the last one first, for records that may have moved up into them. */
  pagesToReread(list: ListMoves): number[] {
    // If `total` grew for all added records, none was missed because of them.
    if (this.count() <= list.added) return [];
    const found = this.#pagesAt(this.#created, list);
    const max = maxForChanged.pages + Math.floor(this.#pages.length * maxForChanged.share);
    for (const page of [...this.#pagesAt(this.#changed, list)].slice(0, max)) found.add(page);
    return [...found].sort((some, other) => other - some);
  }

  #isSince(at: unknown): at is string {
    return (
      typeof at === 'string' &&
      at >= this.#day &&
      this.#began !== undefined &&
      normalizeUtcTime(at) >= this.#began
    );
  }

  /** Returns the pages whose boundary rows may have crossed in one of these seconds. */
  #pagesAt(moments: ReadonlyMap<string, number>, { size, grown, shrunk }: ListMoves): Set<number> {
    const found = new Set<number>();
    const all = [...moments.keys()];
    if (all.length === 0 || size === 0) return found;
    // If the clocks differ, it may have been anywhere.
    const latest = this.#pages.reduce((at, page) => (page.at > at ? page.at : at), '');
    const isAnywhere = all.some((at) => at > latest);
    this.#pages.forEach((page, number) => {
      const next = this.#pages[number + 1];
      if (next === undefined || (page.isSettled && !next.isEarly)) return;
      const [from, to] = page.at <= next.at ? [page.at, next.at] : [next.at, page.at];
      if (!isAnywhere && !all.some((at) => at >= from && at <= to)) return;
      const [first, last] = [number * size - 1 - shrunk, number * size - (next.isEarly ? 0 : 1) + grown];
      const end = Math.min(Math.floor(last / size) + 1, this.#pages.length - 1);
      for (let each = Math.max(Math.floor(first / size) + 1, 1); each <= end; each++) found.add(each);
    });
    return found;
  }
}

function increment(moments: Map<string, number>, at: string): void {
  moments.set(normalizeUtcTime(at), (moments.get(normalizeUtcTime(at)) ?? 0) + 1);
}

function sumOf(moments: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const count of moments.values()) sum += count;
  return sum;
}

/** Returns HTTP's date in the format of the records' own dates. */
function momentOf(date: string | undefined): string | undefined {
  const moment = Date.parse(date ?? '');
  return Number.isNaN(moment) ? undefined : normalizeUtcTime(new Date(moment).toISOString());
}
