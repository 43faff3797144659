/** Reads a sheet as rows of cells, with problems of ambiguous cells. Runs in the worker. */
import type { Cell, CellValue, MergeRange, Sheet } from 'hucre/xlsx';
import { cellText, columnLetters, isErrorText, maxSheetRows, type SheetCell, shareText } from './cell.ts';
import type { Read, SheetRow } from './messages.ts';

/** Returns the rows that aren't empty; the first is the header. */
export function* sheetRows(sheet: Sheet): Generator<SheetRow> {
  const merged = new Merged(sheet.merges ?? []);
  for (const [at, values] of sheet.rows.entries()) {
    const isMerged = merged.next(at, values);
    if (values.every((value) => isNothing(value)) && !hasUncomputed(sheet, at, values)) continue;
    const problems: SheetRow['problems'] = [];
    if (isMerged) problems.push(isMerged);
    const cells = values.map((value, column): SheetCell => {
      const details = sheet.cells?.get(`${at},${column}`);
      const truth = truthIn(value, details);
      if (truth !== undefined) return truth;
      const cell = asCell(value, details);
      const what = problemOf(cell, value, details);
      if (what !== undefined) problems.push({ at: column, what });
      return cell ?? null;
    });
    while (cells.length > 0 && cells.at(-1) === null) cells.pop();
    yield { row: at + 1, cells, problems };
  }
}

/** Returns whether a sheet has too many rows. */
export function hasTooMany({ rows }: Sheet): boolean {
  return (
    rows.length > maxSheetRows + 1 && rows.filter((row) => !row.every(isNothing)).length > maxSheetRows + 1
  );
}

/** LibreOffice writes booleans as these formulas. */
const truths: Readonly<Record<string, boolean>> = { 'TRUE()': true, 'FALSE()': false };

/** Returns the number of formulas in a sheet. */
export function formulasIn({ cells }: Sheet): number {
  let count = 0;
  for (const { formula } of cells?.values() ?? [])
    if (formula !== undefined && !Object.hasOwn(truths, formula)) count++;
  return count;
}

/** Returns the value of a boolean formula that has no computed value. */
function truthIn(value: CellValue, details: Cell | undefined): boolean | undefined {
  const formula = value === null ? details?.formula : undefined;
  return formula !== undefined && Object.hasOwn(truths, formula) ? truths[formula] : undefined;
}

function isNothing(value: CellValue): boolean {
  return value === null || (typeof value === 'string' && value.trim() === '');
}

/** Returns whether a row has a formula without a value. An empty text is a value, as of `=IF(A2="","",…)`. */
function hasUncomputed({ cells }: Sheet, row: number, values: readonly CellValue[]): boolean {
  return values.some((value, column) => isUncomputed(value, cells?.get(`${row},${column}`)));
}

function isUncomputed(value: CellValue, details: Cell | undefined): boolean {
  return value === null && details?.formula !== undefined;
}

/** Returns a cell; undefined if its value is not valid. */
function asCell(value: CellValue, details: Cell | undefined): SheetCell | undefined {
  if (value === null || value === '') return null;
  if (typeof value === 'number' && !Number.isFinite(value)) return undefined;
  if (typeof value === 'number')
    return isPercentage(details) ? shareText(value) : (withZeros(value, details) ?? value);
  if (!(value instanceof Date)) return value;
  const time = Math.round(value.getTime() / 1000) * 1000;
  // Spreadsheets support years up to 9999.
  if (!Number.isFinite(time) || time >= Date.UTC(10_000, 0, 1) || time < Date.UTC(1899, 11, 30))
    return undefined;
  const [day = '', hours = ''] = new Date(time).toISOString().slice(0, 19).split('T');
  // Values before the first day of spreadsheets are times.
  if (day < '1900-01-01') return { date: hours.replace(/:00$/, '') };
  return { date: hours === '00:00:00' ? day : `${day} ${hours}` };
}

/** Returns whether a cell is formatted as a percentage, so that 0.15 is 15%. Quoted text in a format doesn't count. */
function isPercentage(details: Cell | undefined): boolean {
  const format = details?.style?.numFmt ?? '';
  return format.includes('%') && format.replaceAll(/"[^"]*"|\\./g, '').includes('%');
}

/** Returns the text of a number that is formatted with leading zeros, as codes and phones are: 12 as 00012. */
function withZeros(value: number, details: Cell | undefined): string | undefined {
  const [positive = ''] = (details?.style?.numFmt ?? '').split(';');
  const zeros = /^(?:\[[^\]]*\])*(0{2,})$/.exec(positive)?.[1];
  if (zeros === undefined || !Number.isSafeInteger(value) || value < 0) return undefined;
  return String(value).padStart(zeros.length, '0');
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

/** Finds rows with merged cells, of which only the first has a value. */
class Merged {
  readonly #ranges: MergeRange[];
  #open: MergeRange | undefined;

  constructor(ranges: readonly MergeRange[]) {
    this.#ranges = ranges.toSorted((a, b) => b.startRow - a.startRow);
  }

  /** Returns the problem of the next row, for the merged range that extends furthest down. Call it row by row. */
  next(row: number, values: readonly CellValue[]): { at: number; what: string } | undefined {
    for (let range = this.#ranges.at(-1); range && range.startRow <= row; range = this.#ranges.at(-1)) {
      this.#ranges.pop();
      const { startRow, startCol, endRow, endCol } = range;
      const isOne = startRow === endRow && startCol === endCol;
      const isSeen = startRow === row && !isNothing(values[startCol] ?? null);
      if (!isOne && isSeen && endRow >= (this.#open?.endRow ?? 0)) this.#open = range;
    }
    if (!this.#open || this.#open.endRow < row) return undefined;
    const { startRow, startCol, endRow, endCol } = this.#open;
    const name = `${columnLetters(startCol)}${startRow + 1}:${columnLetters(endCol)}${endRow + 1}`;
    return {
      at: startCol,
      what: `is merged (${name}): only the first cell has a value. Unmerge the cells and fill in each one`,
    };
  }
}

/** Collects hidden rows and columns. Call `note` for each row, starting with the header. */
export class HiddenParts {
  readonly #sheet: Sheet;
  #header: SheetRow | undefined;
  #rows = 0;
  readonly #hidden: Read['hiddenRows'] = [];

  constructor(sheet: Sheet) {
    this.#sheet = sheet;
  }

  note(row: SheetRow): void {
    if (!this.#header) {
      this.#header = row;
      return;
    }
    this.#rows++;
    if (!this.#sheet.rowDefs?.get(row.row - 1)?.hidden) return;
    const last = this.#hidden.at(-1);
    if (last?.to === row.row - 1) last.to++;
    else this.#hidden.push({ from: row.row, to: row.row });
  }

  get found(): Pick<Read, 'rows' | 'hiddenRows' | 'hiddenColumns'> {
    return { rows: this.#rows, hiddenRows: this.#hidden, hiddenColumns: this.#columns() };
  }

  #columns(): string[] {
    const names = (this.#header?.cells ?? []).map((cell) => cellText(cell).trim());
    return names.filter((name, at) => name !== '' && this.#sheet.columns?.[at]?.hidden === true);
  }
}
