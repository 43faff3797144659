/** Which columns of a table a window has room for, and how wide each may be. */

export interface Measured<Column> {
  column: Column;
  cells: readonly (string | undefined)[];
  /** Columns on the screen: at first what the widest cell needs. */
  width: number;
  whole: boolean;
}

/** Room for a few letters and the ellipsis: a text column is not cut below this. */
const narrowest = 8;
const gapWidth = 2;

/**
 * Shrinks the widest text columns first; where that is not enough, leaves columns out from the right, those that
 * can't be cut last; the first column always stays, cut to the window if need be.
 */
export function fitColumns<Column>(
  measured: readonly Measured<Column>[],
  room: number | undefined,
): { shown: Measured<Column>[]; dropped: Column[] } {
  let shown = [...measured];
  const dropped: Column[] = [];
  if (room === undefined) return { shown, dropped };
  while (shown.length > 1 && sum(shown, leastWidth) + gaps(shown) > room) {
    const last = shown.findLastIndex((entry, index) => index > 0 && !entry.whole);
    const [gone] = shown.splice(last > 0 ? last : shown.length - 1, 1);
    if (gone !== undefined) dropped.unshift(gone.column);
  }
  shown = shrink(shown, room - gaps(shown));
  return { shown, dropped };
}

/** Lowers one ceiling over all columns that can be cut until the rest fits: the widest give way first. */
function shrink<Column>(shown: readonly Measured<Column>[], room: number): Measured<Column>[] {
  const widthUnder = (ceiling: number) => (entry: Measured<Column>) =>
    Math.max(leastWidth(entry), Math.min(entry.width, ceiling));
  let ceiling = Math.max(...shown.map((entry) => entry.width), 0);
  while (ceiling > 1 && sum(shown, widthUnder(ceiling)) > room) ceiling -= 1;
  const widths = shown.map(widthUnder(ceiling));
  let spare = room - widths.reduce((total, width) => total + width, 0);
  return shown.map((entry, index) => {
    const width = widths[index] ?? entry.width;
    if (shown.length === 1) return { ...entry, width: Math.min(width, Math.max(room, 1)) };
    const extra = spare > 0 && width < entry.width ? 1 : 0;
    spare -= extra;
    return { ...entry, width: width + extra };
  });
}

function leastWidth<Column>({ whole, width }: Measured<Column>): number {
  return whole ? width : Math.min(width, narrowest);
}

function gaps(shown: readonly unknown[]): number {
  return gapWidth * (shown.length - 1);
}

function sum<Entry>(entries: readonly Entry[], of: (entry: Entry) => number): number {
  return entries.reduce((total, entry) => total + of(entry), 0);
}
