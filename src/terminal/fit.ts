/** Divides the width of a window among the columns of a table. */

/** The spaces between two columns. */
export const columnGap = '  ';

/** The width below which a column isn't cut while another column can be omitted. */
const minColumnWidth = 8;

/** The minimum width of a column that the user requested. */
const minRequestedWidth = 3;

/** The width requirements of a column. */
export interface ColumnNeeds {
  /** The width of the widest cell or of the header. */
  naturalWidth: number;
  /** Whether the column is useless if cut. */
  isIndivisible: boolean;
  /** The width below which the column isn't cut; the default is 8. */
  minWidth?: number | undefined;
  /** Columns with the highest rank are omitted first; the default is 0. */
  rank?: number | undefined;
  /** Whether the user requested the column: it is cut to a few characters rather than omitted. */
  isRequested?: boolean | undefined;
}

/** Returns the indexes of the visible columns. Columns with a higher rank are omitted first, then columns further right. */
export function visibleColumns(needs: readonly ColumnNeeds[], width: number): number[] {
  const visible = needs.map((_, index) => index);
  const neededWidth = () =>
    sum(visible.map((index) => minWidthOf(needs[index] as ColumnNeeds))) +
    columnGap.length * (visible.length - 1);
  while (visible.length > 1 && neededWidth() > width) {
    const omittable = visible.filter((index) => !needs[index]?.isRequested);
    const highestRank = Math.max(...omittable.map((index) => needs[index]?.rank ?? 0));
    const last = omittable.findLast((index) => (needs[index]?.rank ?? 0) === highestRank);
    if (last === undefined || (last === visible[0] && highestRank === 0)) break;
    visible.splice(visible.indexOf(last), 1);
  }
  return visible;
}

/**
 * Returns the width of each column in a window of `width` columns. The widest columns of text are cut first. If that isn't
 * enough, columns are omitted from the right, and the result is shorter than `needs`. The first column, which contains the
 * ID, is never omitted, but cut to the window if needed.
 */
export function fitWidths(needs: readonly ColumnNeeds[], width: number): number[] {
  const [first] = needs;
  if (first === undefined) return [];
  for (let count = needs.length; count > 1; count -= 1) {
    const visible = needs.slice(0, count);
    const textWidth = width - columnGap.length * (count - 1);
    if (sum(visible.map(minWidthOf)) <= textWidth) return shrinkWidest(visible, textWidth);
    const evenWidth = Math.floor(textWidth / count);
    if (evenWidth >= minRequestedWidth && visible.every(({ isRequested }) => isRequested))
      return divideEvenly(visible, textWidth, evenWidth);
  }
  return [Math.min(first.naturalWidth, width)];
}

/** Divides a window that is too narrow for the requested columns. Width that one column doesn't need goes to the others. */
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

/** Lowers a common maximum width until the columns fit, and gives the remaining width to columns that are cut. */
function shrinkWidest(needs: readonly ColumnNeeds[], width: number): number[] {
  const widthsUpTo = (maxWidth: number) =>
    needs.map((need) => Math.max(minWidthOf(need), Math.min(need.naturalWidth, maxWidth)));
  let maxWidth = Math.max(...needs.map(({ naturalWidth }) => naturalWidth));
  while (maxWidth > minColumnWidth && sum(widthsUpTo(maxWidth)) > width) maxWidth -= 1;
  const widths = widthsUpTo(maxWidth);
  let spare = width - sum(widths);
  return needs.map(({ naturalWidth }, index) => {
    const width = widths[index] ?? naturalWidth;
    if (spare <= 0 || width >= naturalWidth) return width;
    spare -= 1;
    return width + 1;
  });
}

function minWidthOf({ naturalWidth, isIndivisible, minWidth = minColumnWidth }: ColumnNeeds): number {
  return isIndivisible ? naturalWidth : Math.min(naturalWidth, minWidth);
}

function sum(widths: readonly number[]): number {
  return widths.reduce((total, width) => total + width, 0);
}
