/** Divides the width of a window among the columns of a table. */

/** Spaces between two columns. */
export const columnGap = '  ';

/** Columns below which a table column isn't cut while another one can be omitted. */
const minColumnWidth = 8;

/** The least width of a column that the user asked for. */
const minRequestedWidth = 3;

/** The width that a column needs. */
export interface ColumnNeeds {
  /** The width of the widest cell or of the header. */
  naturalWidth: number;
  /** Whether the column is useless if cut. */
  whole: boolean;
  /** The width below which the column isn't cut; the default is 8. */
  minWidth?: number | undefined;
  /** Columns with the highest rank are omitted first; the default is 0. */
  rank?: number | undefined;
  /** Whether the user asked for the column: it is cut rather than omitted, down to a few characters. */
  isRequested?: boolean | undefined;
}

/** Returns the indexes of the columns that stay. Those with a higher rank, then those further right, are omitted. */
export function visibleColumns(needs: readonly ColumnNeeds[], width: number): number[] {
  const kept = needs.map((_, index) => index);
  const neededWidth = () =>
    sum(kept.map((index) => minWidthOf(needs[index] as ColumnNeeds))) + columnGap.length * (kept.length - 1);
  while (kept.length > 1 && neededWidth() > width) {
    const omittable = kept.filter((index) => !needs[index]?.isRequested);
    const highestRank = Math.max(...omittable.map((index) => needs[index]?.rank ?? 0));
    const last = omittable.findLast((index) => (needs[index]?.rank ?? 0) === highestRank);
    if (last === undefined || (last === kept[0] && highestRank === 0)) break;
    kept.splice(kept.indexOf(last), 1);
  }
  return kept;
}

/**
 * Returns the width of each column in a window of `room` columns; columns that are missing at the end are omitted. The
 * widest columns of text are cut first; if that isn't enough, columns are omitted from the right. The first, which holds
 * the id, stays, and is cut to the window if needed.
 */
export function fitWidths(needs: readonly ColumnNeeds[], width: number): number[] {
  const [first] = needs;
  if (first === undefined) return [];
  for (let count = needs.length; count > 1; count -= 1) {
    const kept = needs.slice(0, count);
    const textWidth = width - columnGap.length * (count - 1);
    if (sum(kept.map(minWidthOf)) <= textWidth) return shrinkWidest(kept, textWidth);
    const evenWidth = Math.floor(textWidth / count);
    if (evenWidth >= minRequestedWidth && kept.every(({ isRequested }) => isRequested))
      return divideEvenly(kept, textWidth, evenWidth);
  }
  return [Math.min(first.naturalWidth, width)];
}

/** Divides a window that is too narrow for the columns that the user asked for: what one doesn't need, the others get. */
function divideEvenly(needs: readonly ColumnNeeds[], width: number, evenWidth: number): number[] {
  const widths = needs.map(({ naturalWidth }) => Math.min(naturalWidth, evenWidth));
  for (let spare = width - sum(widths); spare > 0; ) {
    const growable = needs.flatMap(({ naturalWidth }, index) =>
      (widths[index] ?? 0) < naturalWidth ? [index] : [],
    );
    if (growable.length === 0) break;
    for (const index of growable.slice(0, spare)) widths[index] = (widths[index] ?? 0) + 1;
    spare = width - sum(widths);
  }
  return widths;
}

/** Lowers a common maximum of all columns of text until they fit, and gives the remaining width to those that are cut. */
function shrinkWidest(needs: readonly ColumnNeeds[], width: number): number[] {
  const widthsUpTo = (ceiling: number) =>
    needs.map((need) => Math.max(minWidthOf(need), Math.min(need.naturalWidth, ceiling)));
  let ceiling = Math.max(...needs.map(({ naturalWidth }) => naturalWidth));
  while (ceiling > minColumnWidth && sum(widthsUpTo(ceiling)) > width) ceiling -= 1;
  const widths = widthsUpTo(ceiling);
  let spare = width - sum(widths);
  return needs.map(({ naturalWidth }, index) => {
    const width = widths[index] ?? naturalWidth;
    if (spare <= 0 || width >= naturalWidth) return width;
    spare -= 1;
    return width + 1;
  });
}

function minWidthOf({ naturalWidth, whole, minWidth = minColumnWidth }: ColumnNeeds): number {
  return whole ? naturalWidth : Math.min(naturalWidth, minWidth);
}

function sum(widths: readonly number[]): number {
  return widths.reduce((total, width) => total + width, 0);
}
