/** Divides the width of a window among the columns of a table. */

/** Spaces between two columns. */
export const gap = '  ';

/** Room for a few letters and the ellipsis: no column is cut below this while another can be left out. */
const narrowest = 8;

export interface Need {
  /** Width of the widest cell or of the header. */
  natural: number;
  /** Whether the column is of use only uncut. */
  whole: boolean;
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
  }
  return [Math.min(first.natural, room)];
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

function leastWidth({ natural, whole }: Need): number {
  return whole ? natural : Math.min(natural, narrowest);
}

function sum(widths: readonly number[]): number {
  return widths.reduce((total, width) => total + width, 0);
}
