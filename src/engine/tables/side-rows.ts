/** Recognizes the rows of a table that aren't records: headings of sections, notes, totals, and headers of printed pages. */

import { usage } from '../../base/errors.ts';
import { shortenValue } from '../../base/short-value.ts';
import { joinItems, maxShownItems } from '../../base/shown-items.ts';
import { parseAmount } from './columns/amounts.ts';
import { normalizeColumnName } from './columns/columns.ts';
import { isTotalWord } from './columns/synonyms.ts';
import { areCellsBlank } from './csv-survey.ts';
import { type HeaderOptions, hasOnlyColumnNames } from './find-header.ts';
import type { IsIgnored } from './table.ts';

/** The options for skipping rows that aren't records. */
export interface SideRowOptions {
  /** Whether they are skipped. Otherwise every row is a record. */
  skipsSideRows?: boolean | undefined;
  /** Returns whether `--map` ignores a column; undefined if the command doesn't have the flag. */
  isIgnored?: IsIgnored | undefined;
}

/** A row as text. A row with a problem is always a record. */
interface TextRow {
  line: number;
  cells: readonly string[];
  problem?: string;
}

/** The rows of a table that aren't records. */
export interface SideRows {
  has(row: TextRow): boolean;
  notes: readonly string[];
}

/** Finds the rows below the header that are skipped: none if no record would be left. Throws `usage` if one is another header. */
export async function findSideRows(
  label: string,
  columns: readonly string[],
  batches: AsyncIterable<readonly TextRow[]>,
  { skipsSideRows, isIgnored, headerNames }: SideRowOptions & Pick<HeaderOptions, 'headerNames'>,
): Promise<SideRows> {
  const none: SideRows = { has: () => false, notes: [] };
  const names = columns.map(normalizeColumnName);
  const namedCount = names.filter((name) => name !== '').length;
  const usedCount = columns.filter((name) => name !== '' && !isIgnored?.(name)).length;
  if (!skipsSideRows) return none;
  // In a table of two columns, and in one that identifies records by id, other cells are often empty.
  const hasHeadings = namedCount > 2 && !names.includes('id');
  const has = ({ cells, problem }: TextRow) => {
    if (problem !== undefined) return false;
    const [first, ...others] = cells.filter((cell) => cell.trim() !== '');
    if (first === undefined || (others.length === 0 && hasHeadings)) return first !== undefined;
    return (others.every(isTotal) && isTotalWord(first, others.length > 0)) || repeatsHeader(cells, names);
  };
  const listed: string[] = [];
  let hasRecord = false;
  for await (const rows of batches)
    for (const row of rows) {
      if (hasOnlyColumnNames(row.cells, headerNames) && !repeatsHeader(row.cells, names))
        throw usage(`${label} has another header in line ${row.line}.`, {
          hint: `Put two tables in separate files. If they are one table, whose header is line ${row.line}: --header-row ${row.line}. If line ${row.line} is a record: --all-rows`,
        });
      const text = row.cells.find((cell) => cell.trim() !== '')?.trim();
      if (text === undefined && row.problem === undefined) continue;
      if (!has(row)) hasRecord = true;
      else listed.push(listed.length < maxShownItems ? `line ${row.line} "${shortenValue(text ?? '')}"` : '');
    }
  if (!hasRecord || listed.length === 0 || usedCount < 2) return none;
  const count = listed.length === 1 ? '1 row' : `${listed.length} rows`;
  const kinds = 'headings, notes, totals or repeated headers';
  const note = `${label}: skipped ${count} (${kinds}): ${joinItems(listed)}. To read them as records: --all-rows`;
  return { has, notes: [note] };
}

/** Returns whether a row has the normalized names of the header, as in concatenated files and on printed pages. */
export function repeatsHeader(cells: readonly string[], names: readonly string[]): boolean {
  const hasName = (name: string, index: number) => normalizeColumnName(cells[index] ?? '') === name;
  return names.length > 1 && names.every(hasName) && areCellsBlank(cells.slice(names.length));
}

/** Returns whether a cell may be a total: a number with a currency or a unit. Phone numbers and codes aren't totals. */
function isTotal(cell: string): boolean {
  const { number } = parseAmount(cell.trim());
  return /^\P{L}*\p{Nd}\P{L}*(\p{L}{1,5}\.?)?$/u.test(number) && !/^(\+|0\p{Nd}|\p{Nd}{8,}$)/u.test(number);
}
