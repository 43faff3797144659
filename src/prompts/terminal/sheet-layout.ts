/** Lays out the lines of a sheet in columns: the name, the text that is filled in, and as many other columns as fit. */
import { displayWidth, pad, truncate } from '../../terminal/width.ts';
import type { Frame } from './prompt-frame.ts';
import type { SheetQuestion, SheetRow } from './questions.ts';

/** The full width of each part, in terminal columns. */
export interface Columns {
  label: number;
  text: number;
  cells: readonly number[];
}

/** The widths of a sheet in a window. */
export interface Layout extends Columns {
  width: number;
  marks: Pick<Frame['marks'], 'cursor' | 'cut'>;
}

/** Columns for the text at least: enough for a number with its unit. */
const minTextColumns = 10;
/** Columns for the name at least. */
const minLabelColumns = 12;
/** Columns between two columns of the sheet. */
const gap = 2;

/** Measures the columns. Call it once: a sheet can have thousands of lines. */
export function columnsOf({ rows, columns, header }: SheetQuestion): Columns {
  const widest = (texts: readonly string[]) =>
    texts.reduce((width, text) => Math.max(width, displayWidth(text)), 0);
  return {
    label: widest(rows.map(({ label }) => label)),
    text: Math.max(minTextColumns, displayWidth(header)),
    cells: columns.map((column, index) => widest([column, ...rows.map(({ cells }) => cells[index] ?? '')])),
  };
}

/** Returns the cells of a row that don't fit in the window, with their headers: "cost 4.5", "last count 24". */
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

/** Returns the widths of the name and of the cells that fit. */
function roomOf({ width, ...columns }: Layout): { names: number; cells: readonly number[] } {
  const forCells = width - 2 - gap - columns.text;
  const all = columns.cells.reduce((sum, wide) => sum + wide + gap, 0);
  const names = Math.min(
    columns.label,
    Math.max(minLabelColumns, Math.floor(forCells * 0.6), forCells - all),
  );
  let left = forCells - names;
  const first = columns.cells.findIndex((wide) => {
    left -= wide + gap;
    return left < 0;
  });
  return { names, cells: first === -1 ? columns.cells : columns.cells.slice(0, first) };
}

/** Returns the line of a row. In a narrow window the name is cut first, then the last columns are omitted. */
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
