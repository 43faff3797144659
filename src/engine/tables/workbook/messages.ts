/** The messages to and from the worker for workbooks. */
import type { SheetCell } from './cell.ts';

/** A request to read a workbook. */
export interface ReadTask {
  task: 'read';
  /** The path of the workbook. */
  file: string;
  /** The path of the output: one `SheetRow` per line as JSON. */
  rowsFile: string;
  /** The name of the sheet to read. */
  sheet?: string | undefined;
  /** Names of sheets that are read by default instead of the first one. */
  defaultSheets: readonly string[];
}

/** A request to write a workbook. */
export interface WriteTask {
  task: 'write';
  /** The path of the input: lines of JSON, for each sheet a `SheetHeader` followed by its rows as lists of `SheetCell`. */
  rowsFile: string;
  /** The path of the workbook. */
  file: string;
}

/** The name and columns of a sheet. */
export interface SheetHeader {
  sheet: string;
  columns: readonly SheetColumn[];
}

export interface SheetColumn {
  name: string;
  /** Whether cells are text even if they look like a number or date. The default depends on the cells. */
  isText?: boolean | undefined;
  /** The values of the drop-down list. Spreadsheets warn about other values. */
  choices?: readonly string[] | undefined;
}

export interface SheetRow {
  /** The number of the row, counted from 1. */
  row: number;
  cells: SheetCell[];
  /** Problems by the index of the column; `to` is the last column of a merged range. */
  problems: { at: number; to?: number; what: string }[];
}

/** The result of reading a workbook. The rows are in a separate file. */
export interface ReadResult {
  sheet: string;
  /** Whether the sheet was chosen by its name. */
  isNamed: boolean;
  otherSheets: string[];
  hiddenSheets: string[];
  /** The number of formulas. Their last computed values are read. */
  formulas: number;
  /** The number of rows that aren't empty. */
  rows: number;
  /** The ranges of these rows that are hidden, in order. */
  hiddenRows: HiddenRows[];
  hiddenColumns: number[];
}

/** A range of consecutive rows, none of them empty, counted from 1. */
export interface HiddenRows {
  from: number;
  to: number;
}

/** The reason why a file can't be read, as the end of a sentence about the file, and a hint. */
export interface RefusedWorkbook {
  refused: string;
  hint?: string | undefined;
}

export type WorkerResult = { read: ReadResult } | { written: true } | RefusedWorkbook | { broken: string };
