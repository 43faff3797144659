/** Lays out the rows of a sheet in columns: the name, the text to fill in, and as many other columns as fit. */
import { displayWidth, pad, truncate } from '../../terminal/width.ts';
import type { Frame } from './prompt-frame.ts';
import type { SheetQuestion, SheetRow } from './questions.ts';

/** The full width of each part, in terminal columns. */
export interface SheetColumnWidths {
  label: number;
  text: number;
  cells: readonly number[];
}

/** The widths of a sheet in a window. */
export interface SheetLayout extends SheetColumnWidths {
  width: number;
  marks: Pick<Frame['symbols'], 'cursor' | 'ellipsis'>;
}

/** The minimum width of the text: enough for a number with its unit. */
const minTextColumns = 10;
/** The minimum width of the name. */
const minLabelColumns = 12;
/** The space between two columns of the sheet. */
const columnGap = 2;

/** Measures the columns. Call it only once: a sheet can have thousands of rows. */
export function measureColumns({ rows, columns, header }: SheetQuestion): SheetColumnWidths {
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
  headers: readonly string[],
  layout: SheetLayout,
): string[] {
  const shown = fittingWidths(layout).cells.length;
  return (row?.cells ?? []).flatMap((cell, index) =>
    index < shown || cell === '' ? [] : `${headers[index]} ${cell}`,
  );
}

/** Returns the widths of the name and of the cells that fit. */
function fittingWidths({ width, ...columns }: SheetLayout): { label: number; cells: readonly number[] } {
  const restWidth = width - 2 - columnGap - columns.text;
  const cellsWidth = columns.cells.reduce((sum, cellWidth) => sum + cellWidth + columnGap, 0);
  const names = Math.min(
    columns.label,
    Math.max(minLabelColumns, Math.floor(restWidth * 0.6), restWidth - cellsWidth),
  );
  let left = restWidth - names;
  const firstHidden = columns.cells.findIndex((cellWidth) => {
    left -= cellWidth + columnGap;
    return left < 0;
  });
  return { label: names, cells: firstHidden === -1 ? columns.cells : columns.cells.slice(0, firstHidden) };
}

/** Returns the line of a row. In a narrow window the name is cut first, then the last columns are omitted. */
export function rowLine(
  row: Pick<SheetRow, 'label' | 'cells'> | undefined,
  text: string,
  isCurrent: boolean,
  layout: SheetLayout,
): string {
  const { width, marks } = layout;
  const { label: names, cells: widths } = fittingWidths(layout);
  const cells = widths.map((cellWidth, index) => pad(row?.cells[index] ?? '', cellWidth));
  const label = pad(truncate(row?.label ?? '', names, marks.ellipsis), names);
  const shown = pad(truncate(text === '' ? '_' : text, layout.text, marks.ellipsis), layout.text);
  const space = ' '.repeat(columnGap);
  return truncate(
    [`${isCurrent ? marks.cursor : ' '} ${label}`, shown, ...cells].join(space),
    width,
    marks.ellipsis,
  ).trimEnd();
}
