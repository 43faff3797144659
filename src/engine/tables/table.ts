/** The interface of a file of rows in any format. */
import { usage } from '../../base/errors.ts';

export type TableFormat = 'csv' | 'ndjson' | 'json' | 'xlsx';

/** The default cell text that clears a field in CSV and sheets. In JSON, null clears a field. */
export const nullCell = String.raw`\N`;

/** The character between the raw rows of a document. */
export const rawSeparator = '\u001e';

/** A cell of a sheet whose text depends on its format: a date, or a number such as `SKU-0012`. */
export class FormattedCell {
  /** The displayed text; for a date, `YYYY-MM-DD`. */
  readonly text: string;
  /** The number; undefined for a date. */
  readonly number: number | undefined;
  /** The reason why the displayed text can't be the value of a text field, as the end of a sentence. */
  readonly textProblem: string | undefined;

  constructor(text: string, number: number | undefined, textProblem: string | undefined) {
    this.text = text;
    this.number = number;
    this.textProblem = textProblem;
  }

  toString(): string {
    return this.text;
  }
}

export interface TableRow {
  /** The first line of the row, counted from 1: a header is line 1. */
  line: number;
  /** The cells by column name: strings in CSV; strings, numbers, booleans and formatted cells in XLSX; any JSON value in other formats. */
  cells: ReadonlyMap<string, unknown>;
  /**
   * The raw row in the file, without the line break. For a sheet, the cells as a JSON list. A document of several rows has all of
   * them, with `rawSeparator` between.
   */
  raw: string;
  /** Problems of the row itself, before its values are read. */
  problems: readonly RowProblem[];
}

export interface RowProblem {
  /** The column name in the file; undefined for the row as a whole. */
  column?: string | undefined;
  /** The message, as the end of a sentence: "must be a number". Ledgers store it under this name. */
  what: string;
}

/** Returns a function that reports whether the cell of a column already has a problem, so that its value isn't read. */
export function unreadableCells({ problems }: Pick<TableRow, 'problems'>): (column: string) => boolean {
  if (problems.length === 0) return () => false;
  const unreadableColumns = new Set(problems.map(({ column }) => column));
  return (column) => unreadableColumns.has(column);
}

/** Returns whether a column of a file is ignored. The name of columns without a name is ''. */
export type IsIgnored = (column: string) => boolean;

/** Returns the message about a value in a column without a name, as the end of a sentence. */
export function unnamedProblem(index: number, canBeIgnored: boolean): string {
  return `has a value in column ${index + 1}, which has no name${canBeIgnored ? ' (to ignore such columns: --map "=")' : ''}`;
}

/** Returns the failure for columns with the same name, unless they are ignored. */
export function refuseDuplicateColumns(
  columns: readonly string[],
  location: string,
  isIgnored?: IsIgnored,
): void {
  const duplicates = columns.filter(
    (name, index) => name !== '' && columns.indexOf(name) !== index && !isIgnored?.(name),
  );
  if (duplicates.length === 0) return;
  throw usage(`${location}: ${[...new Set(duplicates)].join(', ')}.`, {
    hint: `Name each column once.${isIgnored ? ` To ignore them: --map "${duplicates[0]}="` : ''}`,
  });
}

/** An open file of rows. */
export interface Table {
  format: TableFormat;
  /** The columns in order, in CSV and XLSX. */
  columns?: readonly string[] | undefined;
  /** The number of the header's row in CSV and XLSX, as spreadsheets count. */
  headerRow?: number | undefined;
  /** Whether the user chose this row, and may choose another one. */
  isHeaderChosen?: boolean | undefined;
  /** Notes on how the file is read. */
  notes?: readonly string[] | undefined;
  /** Returns all rows, without the problems of ignored columns. It can be called repeatedly. */
  rows(isIgnored?: IsIgnored): AsyncIterable<TableRow>;
}

/**
 * Returns whether a format has cells, like a spreadsheet. Empty cells are then ignored, and cells may contain words for
 * values.
 */
export function isSpreadsheetFormat(format: TableFormat): boolean {
  return format === 'csv' || format === 'xlsx';
}
