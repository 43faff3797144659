/** Divides the width of a window among the columns of a table. */

/** Spaces between two columns. */
export const gap = '  ';

/** Room for a few letters and the ellipsis: no column is cut below this while another can be left out. */
const narrowest = 8;

/** Letters that a column which was asked for has at least. */
const fewest = 3;

export interface Need {
  /** Width of the widest cell or of the header. */
  natural: number;
  /** Whether the column is of use only uncut. */
  whole: boolean;
  /** A column of text is not cut below this; 8 unless given. */
  least?: number | undefined;
  /** What the column is worth where there is no room for all: those with the highest number go first; 0 unless given. */
  rank?: number | undefined;
  /** Somebody asked for it: it is cut, and never left out while it has room for a few letters. */
  asked?: boolean | undefined;
}

/** The columns that stay in a window, by their place: others are worth less, or stand further right. */
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
 * The width of each column in a window of `room` columns; columns that are missing from the end of the answer are
 * left out. The widest columns of text are cut first; if that is not enough, columns go from the right. The first,
 * which holds the id, stays, and is cut to the window if need be.
 */
export function fitWidths(needs: readonly Need[], room: number): number[] {
  const [first] = needs;
  if (first === undefined) return [];
  for (let count = needs.length; count > 1; count -= 1) {
    const kept = needs.slice(0, count);
    const forText = room - gap.length * (count - 1);
    if (sum(kept.map(leastWidth)) <= forText) return shrink(kept, forText);
    const even = Math.floor(forText / count);
    if (even >= fewest && kept.every(({ asked }) => asked)) return shared(kept, forText, even);
  }
  return [Math.min(first.natural, room)];
}

/** Columns that were asked for share a window that is too narrow for them: what one doesn’t need the others get. */
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

/** Lowers one ceiling over all columns of text until they fit, and gives what is left over to those it cuts. */
function shrink(needs: readonly Need[], room: number): number[] {
  const under = (ceiling: number) =>
    needs.map((need) => Math.max(leastWidth(need), Math.min(need.natural, ceiling)));
  let ceiling = Math.max(...needs.map(({ natural }) => natural));
  while (ceiling > narrowest && sum(under(ceiling)) > room) ceiling -= 1;
  const widths = under(ceiling);
  let spare = room - sum(widths);
  return needs.map(({ natural }, index) => {
    const width = widths[index] ?? natural;
    if (spare <= 0 || width >= natural) return width;
    spare -= 1;
    return width + 1;
  });
}

function leastWidth({ natural, whole, least = narrowest }: Need): number {
  return whole ? natural : Math.min(natural, least);
}

function sum(widths: readonly number[]): number {
  return widths.reduce((total, width) => total + width, 0);
}
