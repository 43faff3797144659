/**
 * Lists as tables: a bold header, two spaces between columns, one line a record. Load lazily (see width.ts).
 *
 * cli-table3 is not used here, on measurement: 10,000 rows of 8 columns take it 1.1 s in batches of 100 (9.8 s
 * in one), and it counts a column for each Arabic vowel mark, which bends every line that has one.
 */
import { cleanLine } from './clean.ts';
import { painter } from './colour.ts';
import { fitColumns, type Measured } from './fit.ts';
import { plainText, type Row, valueAt } from './value-at.ts';
import { type Align, displayWidth, pad, truncate } from './width.ts';

export interface Column {
  /** The field's name as people write it, such as `tags.name`; used in notes. */
  name: string;
  header: string;
  align?: Align;
  /** Ids and other values that are of no use in part: cut only where nothing else can give way. */
  whole?: boolean;
  /** What the column shows of a record, where it is not the value at `name`. */
  value?(record: Row): unknown;
  /** The value in words; never called for null or undefined, which are shown as a dash. The text is cleaned after. */
  show?(value: unknown, record: Row): string;
}

export interface TableOptions {
  /** Columns of the window. Without it (no terminal, or `--wide`) nothing is cut and nothing left out. */
  width?: number;
  colour?: boolean;
  unicode?: boolean;
  /** Rows that stand out: deleted ones are dim and struck, changed ones (`--watch`) inverse. */
  mark?(record: Row): 'deleted' | 'changed' | undefined;
}

export interface Table {
  /** Lines with line breaks, header first. */
  text: string;
  /** Says which columns the window has no room for, where that is so: for stderr. */
  note?: string;
}

export function renderTable(
  columns: readonly Column[],
  rows: readonly Row[],
  options: TableOptions = {},
): Table {
  const { width, colour = false, unicode = true, mark } = options;
  const paint = painter(colour);
  const dash = unicode ? '–' : '-';
  const ellipsis = unicode ? '…' : '...';

  const measured = columns.map((column) => measure(column, rows, dash, width));
  const { shown, dropped } = fitColumns(measured, width);
  const cellOf = ({ column, width: room }: Measured<Column>, text: string) =>
    pad(truncate(text, room, ellipsis), room, column.align);

  const lines = [
    paint.bold(
      shown
        .map((fitted) => cellOf(fitted, fitted.column.header))
        .join(gap)
        .trimEnd(),
    ),
  ];
  rows.forEach((record, index) => {
    const cells = shown.map((fitted) => {
      const text = fitted.cells[index];
      return text === undefined ? paint.dim(cellOf(fitted, dash)) : cellOf(fitted, text);
    });
    const line = cells.join(gap).trimEnd();
    const kind = mark?.(record);
    if (kind === 'deleted') lines.push(paint.dim(paint.strike(line)));
    else lines.push(kind === 'changed' ? paint.inverse(line) : line);
  });
  return { text: `${lines.join('\n')}\n`, ...droppedNote(dropped) };
}

export const gap = '  ';

/** A cell is undefined where there is no value. No cell needs to be known beyond the width of the window. */
function measure(
  column: Column,
  rows: readonly Row[],
  dash: string,
  limit: number | undefined,
): Measured<Column> {
  let width = Math.max(displayWidth(column.header), 1);
  const cells = rows.map((record) => {
    const value = column.value === undefined ? valueAt(record, column.name) : column.value(record);
    if (value === null || value === undefined) return undefined;
    const text = cleanLine(column.show === undefined ? plainText(value) : column.show(value, record));
    const known = limit === undefined ? text : truncate(text, limit + 1, '');
    width = Math.max(width, displayWidth(known));
    return known;
  });
  return { column, cells, width: Math.max(width, displayWidth(dash)), whole: column.whole === true };
}

function droppedNote(dropped: readonly Column[]): { note?: string } {
  if (dropped.length === 0) return {};
  const names = dropped.map((column) => column.name).join(', ');
  return { note: `The window is too narrow for ${names}. Use --wide, --columns, or -o json to see them.` };
}
