/** What a file of rows is, whichever form it has: rows with their place, one at a time. */

export type TableForm = 'csv' | 'ndjson' | 'json' | 'xlsx';

/** The cell of a CSV or a sheet that empties a field, where nothing else is said; in JSON that is null. */
export const emptiedCell = String.raw`\N`;

export interface TableRow {
  /** Where it begins in the file; the first line is 1, so that a header is line 1. */
  line: number;
  /** By column, as the file calls it: texts in CSV, texts, numbers and booleans in XLSX, any JSON value in the others. */
  cells: ReadonlyMap<string, unknown>;
  /** As it stands in the file, without the end of the line; of a sheet its cells, as a list of JSON. */
  raw: string;
  /** What is wrong with the row itself, whatever its values: sentences' ends, each with its column where it has one. */
  problems: readonly RowProblem[];
}

export interface RowProblem {
  /** As the file calls it; none where it is about the row as a whole. */
  column?: string | undefined;
  /** The end of a sentence: "must be a number". */
  what: string;
}

/** Cells of which it is told what is wrong: what they hold is not read, and not told of once more. */
export function wrongCells({ problems }: Pick<TableRow, 'problems'>): (column: string) => boolean {
  if (problems.length === 0) return () => false;
  const wrong = new Set(problems.map(({ column }) => column));
  return (column) => wrong.has(column);
}

export interface Table {
  form: TableForm;
  /** The columns of all rows, in order, where the file says them: in CSV and XLSX. */
  columns?: readonly string[] | undefined;
  /** What people should know of how it is read, in sentences. */
  remarks?: readonly string[] | undefined;
  /** From the first row on, each time it is asked for. */
  rows(): AsyncIterable<TableRow>;
}

/** Whether people type the cells of such a file, so that an empty one says nothing and words stand for values. */
export function isTyped(form: TableForm): boolean {
  return form === 'csv' || form === 'xlsx';
}
