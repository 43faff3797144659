/** Divides the width of a window among the columns of a table. */

/** Spaces between two columns. */
export const gap = '  ';

/** Columns below which a table column isn't cut while another one can be omitted. */
const minColumnWidth = 8;

/** The least width of a column that the user asked for. */
const minAskedWidth = 3;

/** The width that a column needs. */
export interface Need {
  /** The width of the widest cell or of the header. */
  natural: number;
  /** Whether the column is useless if cut. */
  whole: boolean;
  /** The width below which the column isn't cut; the default is 8. */
  least?: number | undefined;
  /** Columns with the highest rank are omitted first; the default is 0. */
  rank?: number | undefined;
  /** Whether the user asked for the column: it is cut rather than omitted, down to a few characters. */
  asked?: boolean | undefined;
}

/** Returns the indexes of the columns that stay. Those with a higher rank, then those further right, are omitted. */
export function keptColumns(needs: readonly Need[], room: number): number[] {
  const kept = needs.map((_, index) => index);
  const needed = () =>
    sum(kept.map((index) => leastWidth(needs[index] as Need))) + gap.length * (kept.length - 1);
  while (kept.length > 1 && needed() > room) {
    const free = kept.filter((index) => !needs[index]?.asked);
    const worst = Math.max(...free.map((index) => needs[index]?.rank ?? 0));
    const last = free.findLast((index) => (needs[index]?.rank ?? 0) === worst);
    if (last === undefined || (last === kept[0] && worst === 0)) break;
    kept.splice(kept.indexOf(last), 1);
  }
  return kept;
}

/**
 * Returns the width of each column in a window of `room` columns; columns that are missing at the end are omitted. The
 * widest columns of text are cut first; if that isn't enough, columns are omitted from the right. The first, which holds
 * the id, stays, and is cut to the window if needed.
 */
export function fitWidths(needs: readonly Need[], room: number): number[] {
  const [first] = needs;
  if (first === undefined) return [];
  for (let count = needs.length; count > 1; count -= 1) {
    const kept = needs.slice(0, count);
    const forText = room - gap.length * (count - 1);
    if (sum(kept.map(leastWidth)) <= forText) return shrink(kept, forText);
    const even = Math.floor(forText / count);
    if (even >= minAskedWidth && kept.every(({ asked }) => asked)) return shared(kept, forText, even);
  }
  return [Math.min(first.natural, room)];
}

/** Divides a window that is too narrow for the columns that the user asked for: what one doesn't need, the others get. */
function shared(needs: readonly Need[], room: number, even: number): number[] {
  const widths = needs.map(({ natural }) => Math.min(natural, even));
  for (let spare = room - sum(widths); spare > 0; ) {
    const open = needs.flatMap(({ natural }, index) => ((widths[index] ?? 0) < natural ? [index] : []));
    if (open.length === 0) break;
    for (const index of open.slice(0, spare)) widths[index] = (widths[index] ?? 0) + 1;
    spare = room - sum(widths);
  }
  return widths;
}

/** Lowers a common maximum of all columns of text until they fit, and gives the remaining width to those that are cut. */
function shrink(needs: readonly Need[], room: number): number[] {
  const under = (ceiling: number) =>
    needs.map((need) => Math.max(leastWidth(need), Math.min(need.natural, ceiling)));
  let ceiling = Math.max(...needs.map(({ natural }) => natural));
  while (ceiling > minColumnWidth && sum(under(ceiling)) > room) ceiling -= 1;
  const widths = under(ceiling);
  let spare = room - sum(widths);
  return needs.map(({ natural }, index) => {
    const width = widths[index] ?? natural;
    if (spare <= 0 || width >= natural) return width;
    spare -= 1;
    return width + 1;
  });
}

function leastWidth({ natural, whole, least = minColumnWidth }: Need): number {
  return whole ? natural : Math.min(natural, least);
}

function sum(widths: readonly number[]): number {
  return widths.reduce((total, width) => total + width, 0);
}
