/** Where in a list its pages stand, by their numbers and sizes: `per_page` may be wrong, missing, or change on the way. */
import type { Page } from './answer.ts';

/** How often the place to go on at is looked for where the size of pages jumps about. */
const mostSteps = 3;

export interface ListPlace {
  /** Rows of a page. */
  size(): number;
  /** Takes note of the size of pages as this one shows it. */
  measure(page: Page, before: Page | undefined): void;
  /** The page to read instead, because rows between the pages so far and this one would be left out. */
  missedBefore(page: Page, before: Page | undefined): number | undefined;
  /** Rows of this page that have come before, by its place. */
  overlap(page: Page): number;
  /** Takes note that the rows up to this page have come. */
  cover(page: Page): void;
  /** Pages have become smaller, though nothing says so. */
  shrink(page: Page): void;
  /** The number of the last page whose rows have all come. */
  lastCovered(): number;
  /** The first rows that didn't come, though others followed them, in words. */
  gap(): string | undefined;
}

export function listPlace(): ListPlace {
  /** Rows from the beginning of the list up to here have come. */
  let position = 0;
  let size = 0;
  let step = { position: -1, size: 0, count: 0 };
  let gap: string | undefined;

  const startOf = ({ number }: Page) => (number - 1) * size;

  return {
    size: () => size,
    measure(page, before) {
      size = Math.max(changedSize(page, before) ?? size, page.rows.length);
    },
    missedBefore(page, before) {
      const start = startOf(page);
      const isSized = page.rows.length > 0 || page.perPage !== before?.perPage;
      if (start <= position || !isSized) return undefined;
      if (step.position !== position) step = { position, size: 0, count: 0 };
      if (step.size !== size && step.count < mostSteps) {
        step = { position, size, count: step.count + 1 };
        return Math.floor(position / size) + 1;
      }
      gap ??= `Rows ${position + 1} to ${start} of the list did not come, though others follow them`;
      position = start;
      return undefined;
    },
    overlap: (page) => Math.min(Math.max(position - startOf(page), 0), page.rows.length),
    cover(page) {
      position = Math.max(position, startOf(page) + page.rows.length);
    },
    shrink({ rows }) {
      size = Math.min(size, rows.length);
    },
    lastCovered: () => Math.floor(position / size),
    gap: () => gap,
  };
}

/** A change of `per_page` means something where the rows bear it out. */
function changedSize(page: Page, before: Page | undefined): number | undefined {
  const { number, rows, perPage, lastPage, hasNext } = page;
  const isLast = hasNext !== true && (lastPage ?? 0) <= number;
  const isSound = rows.length === perPage || rows.length === 0 || isLast;
  return before !== undefined && perPage !== before.perPage && isSound ? perPage : undefined;
}
