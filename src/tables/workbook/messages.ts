/** What is asked of the worker that reads and writes workbooks, and what it answers. */
import type { SheetCell } from './cell.ts';

export interface ReadTask {
  task: 'read';
  /** The workbook. */
  file: string;
  /** Where its rows go: a `SheetRow` on each line, as JSON. */
  rows: string;
  /** The sheet that is asked for by its name. */
  sheet?: string | undefined;
  /** Names of which a sheet is taken rather than the first one. */
  usual: readonly string[];
}

export interface WriteTask {
  task: 'write';
  /** A line of JSON each: a `SheetHead`, and behind it the sheet's rows as lists of `SheetCell`. */
  rows: string;
  /** Where the workbook goes. */
  file: string;
}

export interface SheetHead {
  sheet: string;
  columns: readonly SheetColumn[];
}

export interface SheetColumn {
  name: string;
  /** What stands in it is text, also where it looks like a number or a day; where it isn't said, as its cells are. */
  isText?: boolean | undefined;
  /** What may stand in it: offered as a drop-down, and warned of otherwise. */
  choices?: readonly string[] | undefined;
}

export interface SheetRow {
  /** 1 is the first row of the sheet. */
  row: number;
  cells: SheetCell[];
  /** What is wrong with it, by the place of the column. */
  problems: { at: number; what: string }[];
}

export interface Read {
  sheet: string;
  /** Whether its name is the reason for taking it. */
  isNamed: boolean;
  /** The others that can be seen. */
  others: string[];
  /** Cells that are formulas: what they last came to is read. */
  formulas: number;
  /** Below the header, those in which anything stands. */
  rows: number;
  /** Those of them that the sheet hides, in order. */
  hiddenRows: HiddenRows[];
  /** As the header names them. */
  hiddenColumns: string[];
}

/** Rows one below the other, none of them empty. 1 is the first row of the sheet. */
export interface HiddenRows {
  from: number;
  to: number;
}

/** Why a file is not read: the end of a sentence that begins with it, and what to do. */
export interface Refusal {
  refused: string;
  hint?: string | undefined;
}

export type Answer = { read: Read } | { written: true } | Refusal | { broken: string };
