/** One sheet of a workbook as rows of cells, with all in it that can't be taken for what it seems. Runs in the worker. */
import type { Cell, CellValue, MergeRange, Sheet } from 'hucre/xlsx';
import { columnLetters, isErrorText, mostRows, type SheetCell, shareText } from './cell.ts';
import type { SheetRow } from './messages.ts';

/** The first row with anything in it is the header. */
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

export function hasTooMany({ rows }: Sheet): boolean {
  return rows.length > mostRows + 1 && rows.filter((row) => !row.every(isNothing)).length > mostRows + 1;
}

/** By these LibreOffice writes each yes and no: as good as a value. */
const truths: Readonly<Record<string, boolean>> = { 'TRUE()': true, 'FALSE()': false };

export function formulasIn({ cells }: Sheet): number {
  let count = 0;
  for (const { formula } of cells?.values() ?? [])
    if (formula !== undefined && !Object.hasOwn(truths, formula)) count++;
  return count;
}

/** Of one that a program has taken over without what it comes to. */
function truthIn(value: CellValue, details: Cell | undefined): boolean | undefined {
  const formula = value === null ? details?.formula : undefined;
  return formula !== undefined && Object.hasOwn(truths, formula) ? truths[formula] : undefined;
}

function isNothing(value: CellValue): boolean {
  return value === null || (typeof value === 'string' && value.trim() === '');
}

/** One that came to an empty text is computed: `=IF(A2="","",…)` is drawn down over whole sheets. */
function hasUncomputed({ cells }: Sheet, row: number, values: readonly CellValue[]): boolean {
  return values.some((value, column) => isUncomputed(value, cells?.get(`${row},${column}`)));
}

function isUncomputed(value: CellValue, details: Cell | undefined): boolean {
  return value === null && details?.formula !== undefined;
}

/** Undefined where nobody can say what it is. */
function asCell(value: CellValue, details: Cell | undefined): SheetCell | undefined {
  if (value === null || value === '') return null;
  if (typeof value === 'number' && !Number.isFinite(value)) return undefined;
  if (typeof value === 'number')
    return isPercentage(details) ? shareText(value) : (withZeros(value, details) ?? value);
  if (!(value instanceof Date)) return value;
  const time = Math.round(value.getTime() / 1000) * 1000;
  // Spreadsheets know the years up to 9999.
  if (!Number.isFinite(time) || time >= Date.UTC(10_000, 0, 1) || time < Date.UTC(1899, 11, 30))
    return undefined;
  const [day = '', hours = ''] = new Date(time).toISOString().slice(0, 19).split('T');
  // Before the first day that a sheet can hold, there are only times of day.
  if (day < '1900-01-01') return { date: hours.replace(/:00$/, '') };
  return { date: hours === '00:00:00' ? day : `${day} ${hours}` };
}

/** 0.15 in a cell that shows 15%: what people see is what they mean. What stands in quotes in a format means nothing. */
function isPercentage(details: Cell | undefined): boolean {
  const format = details?.style?.numFmt ?? '';
  return format.includes('%') && format.replaceAll(/"[^"]*"|\\./g, '').includes('%');
}

/** 12 in a cell that shows 00012, as codes and phones are kept with the zeros in front: people see a text. */
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
  if (cell === undefined) return 'holds a number that is no day, in a cell that is formatted as one';
  if (details?.type === 'error' || (typeof value === 'string' && details?.formula && isErrorText(value)))
    return `holds the error ${value}`;
  if (isUncomputed(value, details)) {
    return 'is a formula that nothing has computed yet: open the workbook in a spreadsheet program and save it';
  }
  if (typeof value === 'number' && Math.abs(value) >= 1e15) {
    return 'holds a number of more than 15 digits, of which spreadsheets keep 15: format it as text, and type it again';
  }
  return undefined;
}

/** Of merged cells only the first holds what people see in all of them. */
class Merged {
  readonly #ranges: MergeRange[];
  #open: MergeRange | undefined;

  constructor(ranges: readonly MergeRange[]) {
    this.#ranges = ranges.toSorted((a, b) => b.startRow - a.startRow);
  }

  /** To be asked row by row; answers for the range that reaches furthest down. */
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
      what: `is merged (${name}): only the first of the cells has a value. Take the merge apart, and fill in each cell`,
    };
  }
}
