/** Reads a sheet as rows of cells, with the problems of ambiguous cells. Runs in the worker. */
import type { Cell, CellValue, MergeRange, Sheet } from 'hucre/xlsx';
import { format as formatNumber } from 'numfmt';
import { columnLetters, formatCell, formatPercent, isErrorText, type SheetCell } from './cell.ts';
import type { HiddenRows, SheetRow } from './messages.ts';

/** Yields the rows that aren't empty. */
export function* sheetRows(sheet: Sheet): Generator<SheetRow> {
  const merged = new MergedRanges(sheet.merges ?? []);
  for (const [rowIndex, values] of sheet.rows.entries()) {
    const problems = merged.problemsInRow(rowIndex, values);
    if (values.every((value) => isEmpty(value)) && !hasUncomputedFormula(sheet, rowIndex, values)) continue;
    const cells = values.map((value, column): SheetCell => {
      const details = sheet.cells?.get(`${rowIndex},${column}`);
      const booleanValue = booleanOf(value, details);
      if (booleanValue !== undefined) return booleanValue;
      const cell = convertCell(value, details);
      const message = problemOf(cell, value, details);
      if (message !== undefined) problems.push({ at: column, what: message });
      return cell ?? null;
    });
    while (cells.length > 0 && cells.at(-1) === null) cells.pop();
    yield { row: rowIndex + 1, cells, problems };
  }
}

/** LibreOffice writes booleans as these formulas. */
const booleanFormulas: Readonly<Record<string, boolean>> = { 'TRUE()': true, 'FALSE()': false };

export function countFormulas({ cells }: Sheet): number {
  let count = 0;
  for (const { formula } of cells?.values() ?? [])
    if (formula !== undefined && !Object.hasOwn(booleanFormulas, formula)) count++;
  return count;
}

function booleanOf(value: CellValue, details: Cell | undefined): boolean | undefined {
  const formula = value === null ? details?.formula : undefined;
  return formula !== undefined && Object.hasOwn(booleanFormulas, formula)
    ? booleanFormulas[formula]
    : undefined;
}

/** Returns whether a cell has no value, or only spaces. */
export function isEmpty(value: CellValue): boolean {
  return value === null || (typeof value === 'string' && value.trim() === '');
}

/** Returns whether a row has a formula without a computed value. An empty string is a value, as in `=IF(A2="","",…)`. */
function hasUncomputedFormula({ cells }: Sheet, row: number, values: readonly CellValue[]): boolean {
  return values.some((value, column) => isUncomputed(value, cells?.get(`${row},${column}`)));
}

function isUncomputed(value: CellValue, details: Cell | undefined): boolean {
  return value === null && details?.formula !== undefined;
}

/** Converts a cell. Returns undefined if its value isn't valid. */
function convertCell(value: CellValue, details: Cell | undefined): SheetCell | undefined {
  if (value === null || value === '') return null;
  if (typeof value === 'number' && !Number.isFinite(value)) return undefined;
  if (typeof value === 'number')
    return isPercentage(details) ? formatPercent(value) : withFormat(value, details);
  if (!(value instanceof Date)) return value;
  const time = Math.round(value.getTime() / 1000) * 1000;
  // Spreadsheets support years up to 9999.
  if (!Number.isFinite(time) || time >= Date.UTC(10_000, 0, 1) || time < Date.UTC(1899, 11, 30))
    return undefined;
  const [day = '', timeOfDay = ''] = new Date(time).toISOString().slice(0, 19).split('T');
  // Values before the first day of spreadsheets are times of day.
  if (day < '1900-01-01') return { date: timeOfDay.replace(/:00$/, '') };
  return { date: timeOfDay === '00:00:00' ? day : `${day} ${timeOfDay}` };
}

/** Returns whether a cell is formatted as a percentage, so that 0.15 is 15%. Quoted text in a format doesn't count. */
function isPercentage(details: Cell | undefined): boolean {
  const format = details?.style?.numFmt ?? '';
  return format.includes('%') && format.replaceAll(/"[^"]*"|\\./g, '').includes('%');
}

/** Returns a number with its displayed text. Exponents hide digits, so that they are ignored like the general format. */
function withFormat(number: number, details: Cell | undefined): SheetCell {
  const format = details?.style?.numFmt ?? 'General';
  // This format only rounds.
  if (format === 'General') return number;
  const shown = formatNumber(format, number, { throws: false }).trim();
  return shown === formatCell(number) || /\dE[+-]\d/.test(shown) ? number : { number, shown, format };
}

function problemOf(
  cell: SheetCell | undefined,
  value: CellValue,
  details: Cell | undefined,
): string | undefined {
  if (cell === undefined)
    return "has a number that isn't a valid date, in a cell that is formatted as a date";
  if (details?.type === 'error' || (typeof value === 'string' && details?.formula && isErrorText(value)))
    return `has the error ${value}`;
  if (isUncomputed(value, details)) {
    return 'is a formula without a computed value: open the workbook in a spreadsheet program and save it';
  }
  if (typeof value === 'number' && Math.abs(value) >= 1e15) {
    return 'has a number with more than 15 digits, of which spreadsheets keep 15: format the cell as text and enter it again';
  }
  return undefined;
}

/** Finds rows with merged cells. Only the first cell of a merged range has a value. */
class MergedRanges {
  readonly #ranges: MergeRange[];
  #current: MergeRange[] = [];

  constructor(ranges: readonly MergeRange[]) {
    this.#ranges = ranges.toSorted((a, b) => b.startRow - a.startRow);
  }

  /** Returns a problem for each merged range in a row. Call it for all rows in order. */
  problemsInRow(row: number, values: readonly CellValue[]): SheetRow['problems'] {
    for (let range = this.#ranges.at(-1); range && range.startRow <= row; range = this.#ranges.at(-1)) {
      this.#ranges.pop();
      const { startRow, startCol, endRow, endCol } = range;
      const isSingleCell = startRow === endRow && startCol === endCol;
      const hasValue = startRow === row && !isEmpty(values[startCol] ?? null);
      if (!isSingleCell && hasValue) this.#current.push(range);
    }
    this.#current = this.#current.filter(({ endRow }) => endRow >= row);
    return this.#current.map(({ startRow, startCol, endRow, endCol }) => {
      const name = `${columnLetters(startCol)}${startRow + 1}:${columnLetters(endCol)}${endRow + 1}`;
      return {
        at: startCol,
        to: endCol,
        what: `is merged (${name}): only the first cell has a value. Unmerge the cells and fill in each one`,
      };
    });
  }
}

/** Adds a row to the ranges of hidden rows if it is hidden. Call it for all rows in order. */
export function addIfHidden(ranges: HiddenRows[], row: number, { rowDefs }: Sheet): void {
  if (!rowDefs?.get(row - 1)?.hidden) return;
  const last = ranges.at(-1);
  if (last?.to === row - 1) last.to++;
  else ranges.push({ from: row, to: row });
}
