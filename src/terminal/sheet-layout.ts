/** The lines of a sheet in columns: the name, what is filled in, and beside it as much as the window has room for. */
import type { Frame } from './prompt-frame.ts';
import type { SheetQuestion, SheetRow } from './questions.ts';
import { displayWidth, pad, truncate } from './width.ts';

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

/** Names give way first, then the columns at the end; what is filled in stays. */
export function lineOf(
  row: Pick<SheetRow, 'label' | 'cells'> | undefined,
  text: string,
  isHere: boolean,
  { width, marks, ...columns }: Layout,
): string {
  const forCells = width - 2 - gap - columns.text;
  const all = columns.cells.reduce((sum, wide) => sum + wide + gap, 0);
  const names = Math.min(columns.label, Math.max(leastLabel, Math.floor(forCells * 0.6), forCells - all));
  let left = forCells - names;
  const cells = columns.cells.flatMap((wide, index) => {
    left -= wide + gap;
    return left < 0 ? [] : pad(row?.cells[index] ?? '', wide);
  });
  const label = pad(truncate(row?.label ?? '', names, marks.cut), names);
  const shown = pad(truncate(text === '' ? '_' : text, columns.text, marks.cut), columns.text);
  const space = ' '.repeat(gap);
  return truncate(
    [`${isHere ? marks.cursor : ' '} ${label}`, shown, ...cells].join(space),
    width,
    marks.cut,
  ).trimEnd();
}
