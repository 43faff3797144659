/**
 * Draws lists as tables: a bold header, two spaces between columns, one line per record.
 *
 * cli-table3, which draws the cards, is too slow for tables: it takes 1.1 s for 10,000 rows of 8 columns in batches of
 * 100, and 9.8 s at once. It also counts each Arabic vowel mark as a column, which misaligns lines.
 */
import { cleanLine, gapAfter, isolateText } from './clean.ts';
import { createPaint, type Paint } from './color.ts';
import { formatPlain, type ShownRow, valueAt } from './value-at.ts';
import { type Align, displayWidth, truncate, wrapWords } from './width.ts';

export interface Column {
  /** The path of the field, such as `tags.name`; also the name of the column in notes. */
  name: string;
  /** The header; the default is the name with spaces instead of dots and underscores. */
  header?: string;
  /** Numbers are aligned right. They are never cut, as half a number is another number. */
  align?: Align;
  /** Whether a part of the value is useless, such as half an ID. It is cut only if the window is too narrow for this column alone. */
  isIndivisible?: boolean;
  /** When the column is omitted in a narrow window, and how far it is cut; see `ColumnNeeds`. */
  rank?: number;
  minWidth?: number;
  /** Whether it has times in UTC, which a terminal shows in the time zone of the business. */
  isTime?: boolean;
  /** Whether the user requested the column. */
  isRequested?: boolean;
  /** Whether the value is cut in the middle: both ends of an ID distinguish it from others. */
  cutsMiddle?: boolean;
  /** Returns the value to show; the default is the value at `name`. */
  value?(record: ShownRow): unknown;
  /** Formats the value for people. Not called for null and undefined, which are shown as a dash. The text is then cleaned. */
  show?(value: unknown, record: ShownRow): string;
}

/** Options for `renderTable`. */
export interface TableOptions {
  /** The width of the window in columns. Undefined without a terminal and with `--wide`: nothing is cut or omitted. */
  width?: number | undefined;
  /** Whether the command has the flags `--wide` and `--columns`. */
  hasColumnFlags?: boolean;
  color?: boolean;
  unicode?: boolean;
  /** Whether right-to-left text is isolated from its neighbors, on terminals only. */
  isolate?: boolean;
  /** Returns how a row is highlighted. Deleted rows are dim and struck through, changed rows (`--watch`) inverse. */
  highlight?(record: ShownRow): 'deleted' | 'changed' | undefined;
}

/** The text of a table and its dimensions. */
export interface Table {
  /** The lines, header first, each with its line break. */
  text: string;
  shownColumns: number;
  headerLines: number;
  /** The note for stderr on columns that don't fit, if any. */
  note?: string;
}

/** Draws a table of records. Columns that don't fit the window are cut or omitted. */
export function renderTable(
  columns: readonly Column[],
  rows: readonly ShownRow[],
  options: TableOptions = {},
): Table {
  const {
    width,
    hasColumnFlags = false,
    color = false,
    unicode = true,
    highlight,
    isolate = false,
  } = options;
  const paint = createPaint(color);
  const symbols = unicode ? { none: '–', cut: '…' } : { none: '-', cut: '...' };

  const unwrappedColumns = columns.map((column) => measure(column, rows, width));
  const wrappedColumns =
    width === undefined || totalWidth(unwrappedColumns) <= width
      ? unwrappedColumns
      : unwrappedColumns.map(wrapHeader);
  const measured =
    width === undefined
      ? wrappedColumns
      : visibleColumns(wrappedColumns, width).flatMap((index) => wrappedColumns[index] ?? []);
  const widths =
    width === undefined ? measured.map(({ naturalWidth }) => naturalWidth) : fitWidths(measured, width);
  const fittedColumns = measured
    .slice(0, widths.length)
    .map((column, index) => ({ ...column, fittedWidth: widths[index] ?? column.naturalWidth, isolate }));

  const header = drawHeader(fittedColumns, symbols.cut);
  const lines = header.map((text) => paint.bold(text));
  for (const [index, record] of rows.entries()) {
    const highlightKind = highlight?.(record);
    const emptyCell = {
      text: highlightKind === undefined ? paint.dim(symbols.none) : symbols.none,
      width: 1,
    };
    const cells = fittedColumns.map((column) =>
      drawCell(column.cells[index] ?? emptyCell, column, symbols.cut),
    );
    lines.push(applyHighlight(drawLine(cells), highlightKind, paint));
  }
  const text = `${lines.join('\n')}\n`;
  const omittedColumns = columns.filter(({ name }) => !fittedColumns.some((column) => column.name === name));
  const table = { text, shownColumns: widths.length, headerLines: header.length };
  return omittedColumns.length === 0
    ? table
    : { ...table, note: hiddenColumnsNote(omittedColumns, hasColumnFlags) };
}

/** Clean text with its width, which is stored because measuring takes most of the time. */
interface Cell {
  text: string;
  width: number;
}

interface MeasuredColumn extends ColumnNeeds {
  header: Cell;
  /** The width of the widest cell, without the header. */
  contentWidth: number;
  /** The cells; undefined for an empty one. */
  cells: (Cell | undefined)[];
  align: Align;
  name: string;
  cutsMiddle: boolean;
}

function measure(column: Column, rows: readonly ShownRow[], windowWidth: number | undefined): MeasuredColumn {
  const { align = 'left', name, rank, minWidth, isRequested, cutsMiddle = false } = column;
  const header = cellOf(column.header ?? column.name.replaceAll(/[._]/g, ' '), undefined);
  const cells = rows.map((record) => {
    const value = column.value === undefined ? valueAt(record, column.name) : column.value(record);
    if (value === null || value === undefined) return undefined;
    const text = column.show === undefined ? formatPlain(value) : column.show(value, record);
    return text === '' ? undefined : cellOf(text, windowWidth);
  });
  const contentWidth = cells.reduce((widest, cell) => Math.max(widest, cell?.width ?? 1), 1);
  const naturalWidth = Math.max(contentWidth, header.width);
  const isIndivisible = column.isIndivisible ?? align === 'right';
  return {
    header,
    cells,
    contentWidth,
    naturalWidth,
    align,
    isIndivisible,
    name,
    cutsMiddle,
    rank,
    minWidth,
    isRequested,
  };
}

function totalWidth(measured: readonly MeasuredColumn[]): number {
  return measured.reduce(
    (sum, { naturalWidth }) => sum + naturalWidth,
    columnGap.length * (measured.length - 1),
  );
}

/** Wraps a header of several words into lines, so that it takes no width from the data. */
function wrapHeader(column: MeasuredColumn): MeasuredColumn {
  const words = column.header.text.split(' ').map((word) => displayWidth(word));
  return { ...column, naturalWidth: Math.max(column.contentWidth, ...words) };
}

/** Returns the lines of the header, aligned at the bottom. */
function drawHeader(columns: readonly FittedColumn[], ellipsis: string): string[] {
  const wrappedHeaders = columns.map(({ header, fittedWidth }) => wrapWords(header.text, fittedWidth));
  const height = Math.max(...wrappedHeaders.map(({ length }) => length));
  return Array.from({ length: height }, (_, row) => {
    const cells = columns.map((column, index) => {
      const headerLines = wrappedHeaders[index] ?? [];
      const text = headerLines[row - (height - headerLines.length)] ?? '';
      return drawCell({ text, width: displayWidth(text) }, column, ellipsis);
    });
    return drawLine(cells);
  });
}

/**
 * Returns a cell cut to the width of the window, as a cell may have 10,000 characters. Two more columns are kept, so that a
 * double-width character at the edge can't make a cut cell look complete.
 */
function cellOf(raw: string, windowWidth: number | undefined): Cell {
  const clean = cleanLine(raw);
  const text = windowWidth === undefined ? clean : truncate(clean, windowWidth + 2, '');
  return { text, width: displayWidth(text) };
}

function drawCell(
  { text, width }: Cell,
  { fittedWidth, align, cutsMiddle, isolate }: FittedColumn,
  ellipsis: string,
): string {
  const cutText =
    width <= fittedWidth
      ? text
      : cutsMiddle
        ? cutMiddle(text, fittedWidth, ellipsis)
        : truncate(text, fittedWidth, ellipsis);
  const spaces = ' '.repeat(Math.max(0, fittedWidth - (cutText === text ? width : displayWidth(cutText))));
  const displayText = isolate ? isolateText(cutText) : cutText;
  return align === 'left' ? displayText + spaces : spaces + displayText;
}

type FittedColumn = MeasuredColumn & { fittedWidth: number; isolate: boolean };

/** Cuts text in the middle: both ends of an ID distinguish it from others. */
function cutMiddle(text: string, width: number, ellipsis: string): string {
  const textWidth = width - displayWidth(ellipsis);
  if (textWidth < 2 || displayWidth(text) !== text.length) return truncate(text, width, ellipsis);
  const end = Math.floor(textWidth / 2);
  return text.slice(0, textWidth - end) + ellipsis + text.slice(text.length - end);
}

function drawLine(cells: readonly string[]): string {
  const last = cells.length - 1;
  return cells
    .map((cell, index) => (index === last ? cell : cell + gapAfter(cell)))
    .join('')
    .trimEnd();
}

function applyHighlight(text: string, kind: 'deleted' | 'changed' | undefined, paint: Paint): string {
  if (kind === undefined) return text;
  return kind === 'deleted' ? paint.dim(paint.strike(text)) : paint.inverse(text);
}

function hiddenColumnsNote(omittedColumns: readonly Column[], hasColumnFlags: boolean): string {
  const names = omittedColumns.map(({ name }) => name).join(', ');
  const flags = hasColumnFlags ? '--wide, --columns or -o json' : '-o json';
  return `Hidden columns: ${names}. To show them, use ${flags}, or a wider window.`;
}

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
