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
  const maxWidth = (texts: readonly string[]) =>
    texts.reduce((width, text) => Math.max(width, displayWidth(text)), 0);
  return {
    label: maxWidth(rows.map(({ label }) => label)),
    text: Math.max(minTextColumns, displayWidth(header)),
    cells: columns.map((column, index) => maxWidth([column, ...rows.map(({ cells }) => cells[index] ?? '')])),
  };
}

/** Returns the cells of a row that don't fit in the window, with their headers: "cost 4.5", "last count 24". */
export function hiddenCells(
  row: Pick<SheetRow, 'cells'> | undefined,
  headers: readonly string[],
  layout: SheetLayout,
): string[] {
  const displayedCount = fittingWidths(layout).cells.length;
  return (row?.cells ?? []).flatMap((cell, index) =>
    index < displayedCount || cell === '' ? [] : `${headers[index]} ${cell}`,
  );
}

/** Returns the widths of the name and of the cells that fit. */
function fittingWidths({ width, ...columns }: SheetLayout): { label: number; cells: readonly number[] } {
  const availableWidth = width - 2 - columnGap - columns.text;
  const cellsWidth = columns.cells.reduce((sum, cellWidth) => sum + cellWidth + columnGap, 0);
  const labelWidth = Math.min(
    columns.label,
    Math.max(minLabelColumns, Math.floor(availableWidth * 0.6), availableWidth - cellsWidth),
  );
  let remainingWidth = availableWidth - labelWidth;
  const firstHidden = columns.cells.findIndex((cellWidth) => {
    remainingWidth -= cellWidth + columnGap;
    return remainingWidth < 0;
  });
  return {
    label: labelWidth,
    cells: firstHidden === -1 ? columns.cells : columns.cells.slice(0, firstHidden),
  };
}

/** Returns the line of a row. In a narrow window the name is cut first, then the last columns are omitted. */
export function rowLine(
  row: Pick<SheetRow, 'label' | 'cells'> | undefined,
  text: string,
  isCurrent: boolean,
  layout: SheetLayout,
): string {
  const { width, marks } = layout;
  const { label: labelWidth, cells: widths } = fittingWidths(layout);
  const cells = widths.map((cellWidth, index) => pad(row?.cells[index] ?? '', cellWidth));
  const label = pad(truncate(row?.label ?? '', labelWidth, marks.ellipsis), labelWidth);
  const textCell = pad(truncate(text === '' ? '_' : text, layout.text, marks.ellipsis), layout.text);
  const space = ' '.repeat(columnGap);
  return truncate(
    [`${isCurrent ? marks.cursor : ' '} ${label}`, textCell, ...cells].join(space),
    width,
    marks.ellipsis,
  ).trimEnd();
}
