/** What a file of rows is, whichever form it has: rows with their place, one at a time. */

export type TableForm = 'csv' | 'ndjson' | 'json';

/** The cell of a CSV that empties a field, where nothing else is said; in the other forms that is null. */
export const emptiedCell = String.raw`\N`;

export interface TableRow {
  /** Where it begins in the file; the first line is 1, so that a header is line 1. */
  line: number;
  /** By column, as the file calls it: texts in CSV, any JSON value in the others. */
  cells: ReadonlyMap<string, unknown>;
  /** As it stands in the file, without the end of the line. */
  raw: string;
  /** What is wrong with the row itself, whatever its values: sentences’ ends, each with its column where it has one. */
  problems: readonly RowProblem[];
}

export interface RowProblem {
  /** As the file calls it; none where it is about the row as a whole. */
  column?: string | undefined;
  /** The end of a sentence: "must be a number". */
  what: string;
}

export interface Table {
  form: TableForm;
  /** The columns of all rows, in order, where the file says them: in CSV. */
  columns?: readonly string[] | undefined;
  /** From the first row on, each time it is asked for. */
  rows(): AsyncIterable<TableRow>;
}
