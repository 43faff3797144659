/** One row of a CSV file by itself: its cells, and its text without some of them. */
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import type { CsvTable } from './csv.ts';

/** As they stand in the file, those beyond the header among them. */
export function csvCells(raw: string, delimiter: string): string[] {
  const [cells = []] = parse(raw, { delimiter, relax_column_count: true, relax_quotes: true }) as string[][];
  return cells;
}

/** The same row with empty cells in these columns: each of the others keeps its place. */
export function csvWithout(raw: string, { dialect, columns }: CsvTable, names: readonly string[]): string {
  const { delimiter } = dialect;
  const cells = csvCells(raw, delimiter).map((cell, at) => (names.includes(columns[at] ?? '') ? '' : cell));
  return stringify([cells], { delimiter, record_delimiter: '', quoted_match: /[\r\n]/ });
}
