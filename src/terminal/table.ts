/**
 * Lists as tables: a bold header, two spaces between columns, one line a record.
 *
 * Not by cli-table3, which draws the cards: 10,000 rows of 8 columns take it 1.1 s at best (in batches of 100;
 * 9.8 s at once), and it counts a column for each Arabic vowel mark, which bends every line that has one.
 */
import { cleanLine } from './clean.ts';
import { type Paint, painter } from './colour.ts';
import { fitWidths, gap, keptColumns, type Need } from './fit.ts';
import { gapBehind, isolated } from './isolate.ts';
import { plainText, type ShownRow, valueAt } from './value-at.ts';
import { type Align, displayWidth, truncate } from './width.ts';
import { wrapped } from './wrap.ts';

export interface Column {
  /** The field's name as people write it, such as `tags.name`; also names the column in notes. */
  name: string;
  /** The name in words, unless it is given. */
  header?: string;
  /** Numbers belong to the right. They are never cut: half a number is another number. */
  align?: Align;
  /** Ids and whatever else is of no use in part: cut only where the window has no room for this column alone. */
  whole?: boolean;
  /** What it is worth in a narrow window, and how far it may be cut there: see `Need`. */
  rank?: number;
  least?: number;
  /** Somebody asked for it. */
  asked?: boolean;
  /** Cut in its middle: of an id, both ends tell it from others. */
  middle?: boolean;
  /** What the column shows of a record, where that is not the value at `name`. */
  value?(record: ShownRow): unknown;
  /** The value in words; not called for null and undefined, which are shown as a dash. The text is cleaned after. */
  show?(value: unknown, record: ShownRow): string;
}

export interface TableOptions {
  /** Columns of the window. Without it (no terminal, or `--wide`) nothing is cut and nothing is left out. */
  width?: number | undefined;
  /** Whether whoever reads it can ask for more with `--wide` and `--columns`. */
  canChoose?: boolean;
  colour?: boolean;
  unicode?: boolean;
  /** Whether text that runs from right to left is kept from moving what stands beside it: on terminals alone. */
  isolate?: boolean;
  /** Rows that stand out: deleted ones are dim and struck, changed ones (`--watch`) inverse. */
  mark?(record: ShownRow): 'deleted' | 'changed' | undefined;
}

export interface Table {
  /** Lines, header first, each with its line break. */
  text: string;
  /** How many of the columns the window has room for. */
  shown: number;
  /** How many of the lines are the header. */
  headerLines: number;
  /** For stderr: which columns the window has no room for, where that is so. */
  note?: string;
}

export function renderTable(
  columns: readonly Column[],
  rows: readonly ShownRow[],
  options: TableOptions = {},
): Table {
  const { width, canChoose = false, colour = false, unicode = true, mark, isolate = false } = options;
  const paint = painter(colour);
  const marks = unicode ? { none: '–', cut: '…' } : { none: '-', cut: '...' };

  const unfolded = columns.map((column) => measure(column, rows, width));
  const all = width === undefined || naturalWidth(unfolded) <= width ? unfolded : unfolded.map(folded);
  const measured = width === undefined ? all : keptColumns(all, width).flatMap((index) => all[index] ?? []);
  const widths = width === undefined ? measured.map(({ natural }) => natural) : fitWidths(measured, width);
  const shown = measured
    .slice(0, widths.length)
    .map((column, index) => ({ ...column, fitted: widths[index] ?? column.natural, isolate }));

  const header = headerLines(shown, marks.cut);
  const lines = header.map((text) => paint.bold(text));
  for (const [index, record] of rows.entries()) {
    const kind = mark?.(record);
    const none = { text: kind === undefined ? paint.dim(marks.none) : marks.none, width: 1 };
    const cells = shown.map((column) => draw(column.cells[index] ?? none, column, marks.cut));
    lines.push(emphasised(line(cells), kind, paint));
  }
  const text = `${lines.join('\n')}\n`;
  const left = columns.filter(({ name }) => !shown.some((column) => column.name === name));
  const table = { text, shown: widths.length, headerLines: header.length };
  return left.length === 0 ? table : { ...table, note: noteOn(left, canChoose) };
}

/** Clean text with its width, because measuring takes most of the time. */
interface Cell {
  text: string;
  width: number;
}

interface Measured extends Need {
  header: Cell;
  /** The widest of the cells, without the header. */
  content: number;
  /** Undefined where there is nothing to show. */
  cells: (Cell | undefined)[];
  align: Align;
  name: string;
  middle: boolean;
}

function measure(column: Column, rows: readonly ShownRow[], window: number | undefined): Measured {
  const { align = 'left', name, rank, least, asked, middle = false } = column;
  const header = cellOf(column.header ?? column.name.replaceAll(/[._]/g, ' '), undefined);
  const cells = rows.map((record) => {
    const value = column.value === undefined ? valueAt(record, column.name) : column.value(record);
    if (value === null || value === undefined) return undefined;
    const text = column.show === undefined ? plainText(value) : column.show(value, record);
    return text === '' ? undefined : cellOf(text, window);
  });
  const content = cells.reduce((widest, cell) => Math.max(widest, cell?.width ?? 1), 1);
  const natural = Math.max(content, header.width);
  const whole = column.whole ?? align === 'right';
  return { header, cells, content, natural, align, whole, name, middle, rank, least, asked };
}

function naturalWidth(measured: readonly Measured[]): number {
  return measured.reduce((sum, { natural }) => sum + natural, gap.length * (measured.length - 1));
}

/** A header of several words takes several lines before it costs a cell of data its room. */
function folded(column: Measured): Measured {
  const words = column.header.text.split(' ').map((word) => displayWidth(word));
  return { ...column, natural: Math.max(column.content, ...words) };
}

/** The header in as many lines as the column with most of them needs, the last of each on the bottom line. */
function headerLines(columns: readonly Fitted[], ellipsis: string): string[] {
  const stacks = columns.map(({ header, fitted }) => wrapped(header.text, fitted));
  const height = Math.max(...stacks.map(({ length }) => length));
  return Array.from({ length: height }, (_, row) => {
    const cells = columns.map((column, index) => {
      const stack = stacks[index] ?? [];
      const text = stack[row - (height - stack.length)] ?? '';
      return draw({ text, width: displayWidth(text) }, column, ellipsis);
    });
    return line(cells);
  });
}

/**
 * A cell can hold 10,000 characters: nothing beyond the window is measured. Two more columns are kept, so that a
 * double-width character at the edge can't make a cut cell look as if it were complete.
 */
function cellOf(raw: string, window: number | undefined): Cell {
  const clean = cleanLine(raw);
  const text = window === undefined ? clean : truncate(clean, window + 2, '');
  return { text, width: displayWidth(text) };
}

function draw({ text, width }: Cell, { fitted, align, middle, isolate }: Fitted, ellipsis: string): string {
  const cut =
    width <= fitted ? text : middle ? cutMiddle(text, fitted, ellipsis) : truncate(text, fitted, ellipsis);
  const spaces = ' '.repeat(Math.max(0, fitted - (cut === text ? width : displayWidth(cut))));
  const shown = isolate ? isolated(cut) : cut;
  return align === 'left' ? shown + spaces : spaces + shown;
}

type Fitted = Measured & { fitted: number; isolate: boolean };

/** The beginning and the end of a text, as an id is told from others by both. */
function cutMiddle(text: string, width: number, ellipsis: string): string {
  const room = width - displayWidth(ellipsis);
  if (room < 2 || displayWidth(text) !== text.length) return truncate(text, width, ellipsis);
  const end = Math.floor(room / 2);
  return text.slice(0, room - end) + ellipsis + text.slice(text.length - end);
}

function line(cells: readonly string[]): string {
  const last = cells.length - 1;
  return cells
    .map((cell, index) => (index === last ? cell : cell + gapBehind(cell)))
    .join('')
    .trimEnd();
}

function emphasised(text: string, kind: 'deleted' | 'changed' | undefined, paint: Paint): string {
  if (kind === undefined) return text;
  return kind === 'deleted' ? paint.dim(paint.strike(text)) : paint.inverse(text);
}

function noteOn(left: readonly Column[], canChoose: boolean): string {
  const names = left.map(({ name }) => name).join(', ');
  const flags = canChoose ? '--wide, --columns or -o json' : '-o json';
  return `The window has no room for ${names}. To see more, use ${flags}, or a wider window.`;
}
