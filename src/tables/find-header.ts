/** Finds a header that isn't the first row: some tables start with a title. */
import { normalizeColumnName } from './columns/columns.ts';

/** The number of rows at the beginning that may be the header. */
export const maxHeaderRows = 21;

/**
 * Returns the index of the header: 0, unless the first row has no header name and one of the next rows has several. `headerNames` are
 * normalized column names.
 */
export function findHeaderIndex(
  rows: readonly (readonly string[])[],
  headerNames: ReadonlySet<string>,
): number {
  const isHeaderName = (name: string) => headerNames.has(normalizeColumnName(name));
  if (rows[0]?.some(isHeaderName)) return 0;
  return Math.max(
    0,
    rows.findIndex((cells) => looksLikeHeader(cells, isHeaderName)),
  );
}

function looksLikeHeader(cells: readonly string[], isHeaderName: (name: string) => boolean): boolean {
  const filledCells = cells.filter((cell) => cell.trim() !== '');
  const recognized = filledCells.filter(isHeaderName).length;
  return recognized >= 2 && recognized * 2 >= filledCells.length;
}

/** Returns the note on a table that starts with a title. */
export function titleNote(label: string, headerLine: number): string {
  return `${label} starts with a title: the header is line ${headerLine}, and the lines above it are ignored.`;
}
