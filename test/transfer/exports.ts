/** Reads and edits the CSV files of an export. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';

export type Cells = Record<string, string>;

/** Returns the rows of a file of an export. */
export function readRows(folder: string, name: string): Cells[] {
  return parse(readFileSync(join(folder, `${name}.csv`), 'utf8'), { columns: true });
}

/** Replaces the rows of a file of an export. */
export function writeRows(folder: string, name: string, rows: readonly Cells[]): void {
  writeFileSync(join(folder, `${name}.csv`), stringify([...rows], { header: true }));
}

/** Changes rows of a file of an export. */
export function editRows(folder: string, name: string, edit: (rows: Cells[]) => void): void {
  const rows = readRows(folder, name);
  edit(rows);
  writeRows(folder, name, rows);
}

/** Removes the apostrophe that prevents spreadsheets from running a cell as a formula. */
const removeApostrophes = (cells: Cells): Cells =>
  Object.fromEntries(Object.entries(cells).map(([name, cell]) => [name, cell.replace(/^'(?=[=+\-@])/, '')]));

/** Returns all rows of an export by file name, without the times of the last change. */
export function readAllRows(folder: string): Map<string, Cells[]> {
  const names = readdirSync(folder).map((file) => file.replace(/\.csv$/, ''));
  return new Map(
    names.map((name) => [
      name,
      readRows(folder, name).map(({ updated_at: _, ...cells }) => removeApostrophes(cells)),
    ]),
  );
}
