/** A header that is not the first row: tables that people read begin with a title. */
import { plainName } from './columns/columns.ts';

/** Rows among which a header is looked for: one further down is hardly a header. */
export const rowsLookedAt = 21;

/**
 * Answers which of the rows is the header, counted from 0: the first one, unless it has no known name and one of the
 * next rows has several. `known` are names of columns, plainly written.
 */
export function headerAmong(rows: readonly (readonly string[])[], known: ReadonlySet<string>): number {
  const isKnown = (name: string) => known.has(plainName(name));
  if (rows[0]?.some(isKnown)) return 0;
  return Math.max(
    0,
    rows.findIndex((cells) => seemsHeader(cells, isKnown)),
  );
}

function seemsHeader(cells: readonly string[], isKnown: (name: string) => boolean): boolean {
  const filled = cells.filter((cell) => cell.trim() !== '');
  const recognized = filled.filter(isKnown).length;
  return recognized >= 2 && recognized * 2 >= filled.length;
}

/** What people should know of a table that begins with a title. */
export function titleRemark(called: string, headerLine: number): string {
  return `${called} begins with a title: its header is read from line ${headerLine}, and what stands above it is left out.`;
}
