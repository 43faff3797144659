/** Tracks positions in a list whose page size may be wrong, missing, or change while it is read. */
import type { ListPage } from './response.ts';

/** The maximum number of pages to go back to for the next row if the page size keeps changing. */
const maxSearchSteps = 3;

/** Tracks which rows have been read, by numbers and sizes of pages: `per_page` may be wrong, missing, or change. */
export class PagePositions {
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

  /** Takes the page size from this page. */
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
