/**
 * The worker thread that reads and writes workbooks. A workbook may have any content, so it may take too long or too much
 * memory, which must not affect the program. Only this file, read-sheet.ts and write-book.ts use the library.
 */
import { closeSync, createReadStream, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { Readable } from 'node:stream';
import { parentPort, workerData } from 'node:worker_threads';
import { createInflateRaw } from 'node:zlib';
import { type Cell, type CellValue, type MergeRange, readXlsx, type Sheet, streamXlsxRows } from 'hucre/xlsx';
import { format as formatNumber } from 'numfmt';
import { formatCount } from '../../../base/shown-items.ts';
import { splitLines } from '../ndjson.ts';
import {
  columnLetters,
  formatCell,
  formatPercent,
  isErrorText,
  maxSheetRows,
  type SheetCell,
} from './cell.ts';
import type {
  HiddenRows,
  ReadTask,
  RefusedWorkbook,
  SheetHeader,
  SheetRow,
  WorkerResult,
  WriteTask,
} from './messages.ts';
import { buildWorkbook, type FilledSheet } from './write-book.ts';
import { readZipEntries, sizeProblemOf, type ZipEntry } from './zip-sizes.ts';

void runTask(workerData as ReadTask | WriteTask).then((result) => parentPort?.postMessage(result));

async function runTask(task: ReadTask | WriteTask): Promise<WorkerResult> {
  try {
    return task.task === 'read' ? await read(task) : await write(task);
  } catch (error) {
    return { broken: error instanceof Error ? error.message : String(error) };
  }
}

async function read(task: ReadTask): Promise<WorkerResult> {
  const bytes = readFileSync(task.file);
  const sizeProblem = sizeProblemOf(bytes);
  if (sizeProblem !== undefined) return { refused: sizeProblem };
  const sheets: { name: string; isHidden: boolean }[] = [];
  await readXlsx(bytes, {
    sheets: ({ name, hidden, veryHidden }) => {
      sheets.push({ name, isHidden: hidden === true || veryHidden === true });
      return false;
    },
  });
  const chosen = chooseSheet(sheets, task);
  if (typeof chosen !== 'string') return chosen;
  const filledRows = await listFilledRows(bytes, chosen);
  if (!(filledRows instanceof Set)) return filledRows;
  const book = await readXlsx(bytes, { sheets: [chosen], readStyles: true });
  const [sheet] = book.sheets;
  if (!sheet) return { refused: `has no rows in its sheet "${chosen}"` };
  const cellProblem = await findCellProblem(
    bytes,
    sheets.findIndex(({ name }) => name === chosen),
  );
  if (cellProblem !== undefined) return { refused: `${cellProblem} in its sheet "${chosen}"` };
  const hiddenRows: HiddenRows[] = [];
  let rows = 0;
  writeRows(task.rowsFile, sheet, ({ row }) => {
    rows++;
    filledRows.delete(row);
    addIfHidden(hiddenRows, row, sheet);
  });
  if (filledRows.size > 0) return { broken: `row ${[...filledRows][0]} of its sheet "${chosen}" is missing` };
  const otherSheets = sheets
    .filter(({ name, isHidden }) => !isHidden && name !== chosen)
    .map(({ name }) => name);
  const isNamed = [task.sheet ?? '', ...task.defaultSheets].some((name) => findSheet([chosen], name));
  const hiddenSheets = sheets.filter(({ isHidden }) => isHidden).map(({ name }) => name);
  return {
    read: {
      sheet: chosen,
      isNamed,
      otherSheets,
      hiddenSheets,
      formulas: countFormulas(sheet),
      rows,
      hiddenRows,
      hiddenColumns: [...(sheet.columns ?? []).keys()].filter((index) => sheet.columns?.[index]?.hidden),
    },
  };
}

/**
 * Returns the numbers of all rows with a value, to check that none is lost. Refuses a sheet with too many rows, or with two
 * rows of the same number: the library returns only the last one.
 */
async function listFilledRows(bytes: Buffer, sheet: string): Promise<Set<number> | RefusedWorkbook> {
  const numbers = new Set<number>();
  for await (const { index, values } of streamXlsxRows(bytes, { sheet })) {
    if (values.every(isEmpty)) continue;
    const number = index + 1;
    if (numbers.has(number))
      return { refused: `has several rows with the number ${number} in its sheet "${sheet}"` };
    numbers.add(number);
    if (numbers.size > maxSheetRows + 1)
      return {
        refused: `has more than ${formatCount(maxSheetRows)} rows in its sheet "${sheet}"`,
        hint: 'Save the sheet as CSV (UTF-8) and import that: it may have any number of rows.',
      };
  }
  return numbers;
}

function chooseSheet(
  sheets: readonly { name: string; isHidden: boolean }[],
  { sheet: sheetName, defaultSheets: defaultNames }: ReadTask,
): string | RefusedWorkbook {
  const names = sheets.map(({ name }) => name);
  const visibleNames = sheets.filter(({ isHidden }) => !isHidden).map(({ name }) => name);
  if (sheetName !== undefined) {
    const match = findSheet(names, sheetName);
    return match ?? { refused: `has no sheet "${sheetName}"`, hint: `Its sheets: ${names.join(', ')}.` };
  }
  const chosen =
    defaultNames.map((name) => findSheet(visibleNames, name)).find((name) => name !== undefined) ??
    visibleNames[0];
  if (chosen !== undefined) return chosen;
  const hint =
    names.length === 0 ? undefined : `Hidden sheets: ${names.join(', ')}. Choose one with --sheet.`;
  return { refused: 'has no visible sheet', hint };
}

/** Finds a sheet by its name, ignoring case as spreadsheets do. */
function findSheet(names: readonly string[], requestedName: string): string | undefined {
  return (
    names.find((name) => name === requestedName) ??
    names.find((name) => normalizedName(name) === normalizedName(requestedName))
  );
}

function normalizedName(name: string): string {
  return name
    .trim()
    .normalize()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '-');
}

function writeRows(file: string, sheet: Sheet, onRow: (row: SheetRow) => void): void {
  const out = openSync(file, 'w', 0o600);
  try {
    let block = '';
    for (const row of sheetRows(sheet)) {
      onRow(row);
      block += `${JSON.stringify(row)}\n`;
      if (block.length < 262_144) continue;
      writeSync(out, block);
      block = '';
    }
    if (block !== '') writeSync(out, block);
  } finally {
    closeSync(out);
  }
}

async function write({ rowsFile, file }: WriteTask): Promise<WorkerResult> {
  const sheets: FilledSheet[] = [];
  for await (const line of splitLines(createReadStream(rowsFile, 'utf8'))) {
    const value = JSON.parse(line) as SheetHeader | SheetCell[];
    if (Array.isArray(value)) sheets.at(-1)?.rows.push(value);
    else sheets.push({ header: value, rows: [] });
  }
  writeFileSync(file, await buildWorkbook(sheets), { mode: 0o600 });
  return { written: true };
}

/**
 * Returns the problem of a sheet, as the end of a sentence: two cells with the same reference, of which the library returns
 * only the last one, or phonetic guides within a cell, which it adds to the text. `index` is the position of the sheet in
 * the workbook.
 */
async function findCellProblem(bytes: Buffer, index: number): Promise<string | undefined> {
  const entries = readZipEntries(bytes);
  const entry = entries.get(await sheetPath(bytes, entries, index));
  if (!entry) return undefined;
  const seenReferences = new Set<string>();
  let remainder = '';
  for await (const chunk of contentOf(bytes, entry)) {
    const text = remainder + chunk.toString('latin1');
    // Every tag before the last `<` is complete.
    const end = text.lastIndexOf('<');
    for (const [, tag, attributes = ''] of text.slice(0, end).matchAll(/<(?:\w+:)?(row|c|rPh)(\s[^>]*)?>/g)) {
      if (tag === 'rPh') return 'has phonetic guides (furigana) within its cells';
      if (tag === 'row') seenReferences.clear();
      const reference = tag === 'c' ? attributeOf(attributes, 'r')?.toUpperCase() : undefined;
      if (reference === undefined) continue;
      if (seenReferences.has(reference)) return `has several cells with the reference ${reference}`;
      seenReferences.add(reference);
    }
    remainder = text.slice(end);
  }
  return undefined;
}

/** Returns the path of a sheet in the ZIP file; '' if the workbook has an unusual structure. */
async function sheetPath(
  bytes: Buffer,
  entries: ReadonlyMap<string, ZipEntry>,
  index: number,
): Promise<string> {
  const readEntry = async (name: string) => {
    const entry = entries.get(name);
    return entry ? (await Array.fromAsync(contentOf(bytes, entry))).join('') : '';
  };
  const sheets = [...(await readEntry('xl/workbook.xml')).matchAll(/<(?:\w+:)?sheet\s([^>]*)>/g)];
  const id = attributeOf(sheets[index]?.[1] ?? '', '\\w+:id');
  const relations = (await readEntry('xl/_rels/workbook.xml.rels')).matchAll(
    /<(?:\w+:)?Relationship\s([^>]*)>/g,
  );
  const relation = [...relations].find(([, attributes = '']) => attributeOf(attributes, 'Id') === id)?.[1];
  const target = attributeOf(relation ?? '', 'Target') ?? '';
  return target.startsWith('/') ? target.slice(1) : `xl/${target}`;
}

function attributeOf(attributes: string, name: string): string | undefined {
  return new RegExp(`(?:^|\\s)${name}\\s*=\\s*["']([^"']*)["']`).exec(attributes)?.[1];
}

/** Returns the unpacked content of a file. The sizes in the directory were checked before. */
function contentOf(bytes: Buffer, { offset, packedBytes, isCompressed }: ZipEntry): AsyncIterable<Buffer> {
  const start = offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28);
  const content = Readable.from([bytes.subarray(start, start + packedBytes)]);
  return isCompressed ? content.pipe(createInflateRaw()) : content;
}

/** Yields the rows that aren't empty. */
function* sheetRows(sheet: Sheet): Generator<SheetRow> {
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

function countFormulas({ cells }: Sheet): number {
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
function isEmpty(value: CellValue): boolean {
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
function addIfHidden(ranges: HiddenRows[], row: number, { rowDefs }: Sheet): void {
  if (!rowDefs?.get(row - 1)?.hidden) return;
  const last = ranges.at(-1);
  if (last?.to === row - 1) last.to++;
  else ranges.push({ from: row, to: row });
}
