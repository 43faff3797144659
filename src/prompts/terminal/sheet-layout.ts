/** The lines of a sheet in columns: the name, what is filled in, and beside it as much as the window has room for. */
import { displayWidth, pad, truncate } from '../../terminal/width.ts';
import type { Frame } from './prompt-frame.ts';
import type { SheetQuestion, SheetRow } from './questions.ts';

/** Columns of the terminal that each part would take. */
export interface Columns {
  label: number;
  text: number;
  cells: readonly number[];
}

export interface Layout extends Columns {
  width: number;
  marks: Pick<Frame['marks'], 'cursor' | 'cut'>;
}

/** A text is rarely longer: a number with its unit. */
const leastText = 10;
const leastLabel = 12;
const gap = 2;

/** Measured once: a sheet can have thousands of lines. */
export function columnsOf({ rows, columns, header }: SheetQuestion): Columns {
  const widest = (texts: readonly string[]) =>
    texts.reduce((most, text) => Math.max(most, displayWidth(text)), 0);
  return {
    label: widest(rows.map(({ label }) => label)),
    text: Math.max(leastText, displayWidth(header)),
    cells: columns.map((column, index) => widest([column, ...rows.map(({ cells }) => cells[index] ?? '')])),
  };
}

/** What the window has no room for of the cells of a row, in words: "cost 4.5", "last count 24". */
export function hiddenCells(
  row: Pick<SheetRow, 'cells'> | undefined,
  names: readonly string[],
  layout: Layout,
): string[] {
  const shown = roomOf(layout).cells.length;
  return (row?.cells ?? []).flatMap((cell, index) =>
    index < shown || cell === '' ? [] : `${names[index]} ${cell}`,
  );
}

/** Columns of the terminal for the name, and for as many cells as there is room for. */
function roomOf({ width, ...columns }: Layout): { names: number; cells: readonly number[] } {
  const forCells = width - 2 - gap - columns.text;
  const all = columns.cells.reduce((sum, wide) => sum + wide + gap, 0);
  const names = Math.min(columns.label, Math.max(leastLabel, Math.floor(forCells * 0.6), forCells - all));
  let left = forCells - names;
  const first = columns.cells.findIndex((wide) => {
    left -= wide + gap;
    return left < 0;
  });
  return { names, cells: first === -1 ? columns.cells : columns.cells.slice(0, first) };
}

/** Names give way first, then the columns at the end; what is filled in stays. */
export function lineOf(
  row: Pick<SheetRow, 'label' | 'cells'> | undefined,
  text: string,
  isHere: boolean,
  layout: Layout,
): string {
  const { width, marks } = layout;
  const { names, cells: room } = roomOf(layout);
  const cells = room.map((wide, index) => pad(row?.cells[index] ?? '', wide));
  const label = pad(truncate(row?.label ?? '', names, marks.cut), names);
  const shown = pad(truncate(text === '' ? '_' : text, layout.text, marks.cut), layout.text);
  const space = ' '.repeat(gap);
  return truncate(
    [`${isHere ? marks.cursor : ' '} ${label}`, shown, ...cells].join(space),
    width,
    marks.cut,
  ).trimEnd();
}
