/** Reads the rows of a sheet, with their numbers and problems. The sheet is unpacked once, to a temporary file of lines. */
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure, usage } from '../../base/errors.ts';
import { formatCount, joinItems } from '../../base/shown-items.ts';
import {
  chooseHeaderRow,
  findHeaderIndex,
  firstHeaderRow,
  type HeaderOptions,
  maxHeaderRows,
  titleNote,
} from './find-header.ts';
import type { InputFile } from './input-file.ts';
import { splitLines } from './ndjson.ts';
import { findSideRows, type SideRowOptions } from './side-rows.ts';
import {
  FormattedCell,
  type IsIgnored,
  type RowProblem,
  refuseDuplicateColumns,
  type Table,
  type TableRow,
  unnamedProblem,
} from './table.ts';
import { formatCell, type SheetCell } from './workbook/cell.ts';
import { runInWorker } from './workbook/in-worker.ts';
import type { HiddenRows, ReadResult, ReadTask, SheetRow } from './workbook/messages.ts';
import { maxFileBytes } from './workbook/zip-sizes.ts';

/** An open workbook. */
export interface XlsxTable extends Table {
  format: 'xlsx';
  columns: readonly string[];
  sheet: string;
  notes: readonly string[];
}

/** The options for opening a workbook. */
export interface XlsxOptions extends HeaderOptions, SideRowOptions {
  /** The name of the sheet to read. */
  sheet?: string | undefined;
  /** The name of the sheet that is read by default instead of the first one. */
  defaultSheet: string;
  /** Whether the command has the flag `--sheet`. */
  hasFlags: boolean;
}

/** The first bytes of workbooks: ZIP files, and encrypted or old ones. */
const [zipSignature, ole2Signature] = [Buffer.from('PK\u0003\u0004'), Buffer.from([0xd0, 0xcf, 0x11, 0xe0])];

/** Returns whether a file starts with the signature of a ZIP file, like workbooks. */
export async function hasZipSignature({ path }: InputFile): Promise<boolean> {
  const handle = await open(path);
  try {
    const { buffer } = await handle.read(Buffer.alloc(4), 0, 4, 0);
    return buffer.equals(zipSignature);
  } finally {
    await handle.close();
  }
}

/** Opens a workbook. Throws a usage failure if the file isn't a workbook, or the sheet is missing or has an invalid header. */
export async function openXlsx(source: InputFile, options: XlsxOptions): Promise<XlsxTable> {
  const { sheet, defaultSheet, hasFlags, isIgnored } = options;
  await requireWorkbook(source);
  const rowsFile = join(source.scratch(), 'sheet');
  const result = await readSheet(rowsFile, source, { sheet, defaultSheets: [defaultSheet] });
  const firstRows = await readFirstRows(rowsFile, firstHeaderRow(options));
  const firstTexts = firstRows.map(({ row, cells }) => ({ row, cells: cells.map(textOf) }));
  const foundIndex = findHeaderIndex(firstTexts, options);
  if (foundIndex === undefined) {
    const headerRow = await chooseHeaderRow(source.label, firstTexts, options);
    if (headerRow !== undefined)
      return { ...(await openXlsx(source, { ...options, headerRow })), isHeaderChosen: true };
  }
  const headerIndex = foundIndex ?? 0;
  const header = firstRows[headerIndex];
  if (!header) {
    const others = `Other sheets: ${joinItems(result.otherSheets)}. To choose one${hasFlags ? ': --sheet NAME' : `, name it ${defaultSheet}`}`;
    throw usage(`${source.label} has no header in its sheet "${result.sheet}": the sheet is empty.`, {
      hint: result.otherSheets.length > 0 ? others : undefined,
    });
  }
  const columns = columnsOf(source, result, header, isIgnored);
  const found = { columns, row: header.row, rowsAbove: headerIndex };
  const readRows = <Item>(toItem: (row: SheetRow) => Item | undefined) =>
    readRowsBelow({ file: rowsFile, count: result.rows }, header.row, toItem);
  const textRows = readRows((row) => [textRowOf(row)]);
  const sideRows = await findSideRows(source.label, columns, textRows, options);
  const notes = [...sideRows.notes, ...sheetNotes(source.label, result, found, { hasFlags, defaultSheet })];
  return {
    format: 'xlsx',
    columns,
    sheet: result.sheet,
    headerRow: header.row,
    notes: headerIndex > 0 ? [titleNote(source.label, header.row), ...notes] : notes,
    rows: (isColumnIgnored = () => false) =>
      readRows((row) =>
        sideRows.has(textRowOf(row))
          ? undefined
          : rowOf(row, { columns, isIgnored: isColumnIgnored, canBeIgnored: isIgnored !== undefined }),
      ),
  };
}

/** Returns the names of the sheets. Throws a usage failure if the file isn't a workbook. */
export async function sheetNames(source: InputFile): Promise<{ visible: string[]; hidden: string[] }> {
  await requireWorkbook(source);
  const result = await readSheet(join(source.scratch(), 'sheet'), source, { defaultSheets: [] });
  return { visible: [result.sheet, ...result.otherSheets], hidden: result.hiddenSheets };
}

async function readFirstRows(file: string, firstRow: number): Promise<SheetRow[]> {
  const rows: SheetRow[] = [];
  for await (const row of readSheetRows(file)) {
    if (row.row < firstRow) continue;
    rows.push(row);
    if (rows.length === maxHeaderRows) break;
  }
  return rows;
}

async function requireWorkbook(source: InputFile): Promise<void> {
  const { label } = source;
  const size = (await stat(source.path)).size;
  if (size > maxFileBytes) {
    throw usage(
      `${label} is ${Math.ceil(size / 1024 / 1024)} MB; the limit for workbooks is ${maxFileBytes / 1024 / 1024} MB.`,
      {
        hint: 'Save the sheet as CSV (UTF-8) and import that: it may have any size.',
      },
    );
  }
  if (await hasZipSignature(source)) return;
  const handle = await open(source.path);
  const { buffer } = await handle.read(Buffer.alloc(4), 0, 4, 0).finally(() => handle.close());
  if (buffer.equals(ole2Signature)) {
    throw usage(`${label} is encrypted or in the old XLS format.`, {
      hint: 'Save it as XLSX without a password, or as CSV (UTF-8).',
    });
  }
  throw usage(
    `${label} isn't a workbook${size === 0 ? ': it is empty' : ', although its extension says so'}.`,
    {
      hint: 'If it is text, rename it to .csv, .ndjson or .json.',
    },
  );
}

async function readSheet(
  rowsFile: string,
  { label, path }: InputFile,
  options: Pick<ReadTask, 'sheet' | 'defaultSheets'>,
): Promise<ReadResult> {
  const result = await runInWorker({ task: 'read', file: path, rowsFile, ...options });
  if ('read' in result) return result.read;
  if ('refused' in result) throw usage(`${label} ${result.refused}.`, { hint: result.hint ?? saveAgain });
  if ('exhausted' in result) {
    const problem =
      result.exhausted === 'time' ? 'takes too long to unpack' : 'takes too much memory to unpack';
    throw usage(`${label} ${problem}.`, { hint: 'Save the sheet as CSV (UTF-8) and import that.' });
  }
  const reason = 'broken' in result ? result.broken : 'no result';
  throw usage(`${label} can't be read as a workbook: ${reason.replace(/\.$/, '')}.`, { hint: saveAgain });
}

const saveAgain = 'Open it in a spreadsheet program and save it again as XLSX or as CSV (UTF-8).';

function columnsOf(
  { label }: InputFile,
  { sheet }: ReadResult,
  { row, cells, problems }: SheetRow,
  isIgnored: IsIgnored = () => false,
): string[] {
  const location = `in the header of its sheet "${sheet}" (row ${row})`;
  const columns = cells.map((cell) => formatCell(cell).trim());
  const mistakes = columnProblems(problems, columns, isIgnored).map(
    ({ column, what }) => `${column} ${what}`,
  );
  if (mistakes.length > 0)
    throw usage(`${label} has invalid column names ${location}: ${mistakes.join('; ')}.`);
  refuseDuplicateColumns(columns, `${label} has duplicate columns ${location}`, isIgnored);
  return columns;
}

async function* readSheetRows(file: string): AsyncGenerator<SheetRow> {
  try {
    for await (const line of splitLines(createReadStream(file, 'utf8'))) yield JSON.parse(line) as SheetRow;
  } catch (cause) {
    throw new Failure(
      'unavailable',
      `The rows of the workbook can't be read again: ${(cause as Error).message}.`,
      {
        cause,
      },
    );
  }
}

/** Returns a row as text. Cells with a problem are filled; those that are merged into the first cell of the row aren't. */
function textRowOf({ row, cells, problems }: SheetRow): { line: number; cells: string[] } {
  const texts = cells.map(textOf);
  for (const { at, to = at, what } of problems) if (to === at) texts[at] ||= what;
  return { line: row, cells: Array.from(texts, (text) => text ?? '') };
}

function textOf(cell: SheetCell): string {
  return cell === null ? '' : formatCell(cell);
}

/** Reads the rows below the header, without those for which `toItem` returns undefined. */
async function* readRowsBelow<Item>(
  { file, count: expectedCount }: { file: string; count: number },
  headerRow: number,
  toItem: (row: SheetRow) => Item | undefined,
): AsyncGenerator<Item> {
  let count = 0;
  for await (const row of readSheetRows(file)) {
    count++;
    const item = row.row > headerRow ? toItem(row) : undefined;
    if (item !== undefined) yield item;
  }
  if (count !== expectedCount)
    throw new Failure(
      'unavailable',
      `Only ${count} of the ${expectedCount} rows of the workbook can be read.`,
    );
}

interface SheetColumns {
  columns: readonly string[];
  isIgnored: IsIgnored;
  /** Whether the command has flags that ignore columns. */
  canBeIgnored: boolean;
}

function rowOf(
  { row, cells, problems }: SheetRow,
  { columns, isIgnored, canBeIgnored }: SheetColumns,
): TableRow {
  const cellsByName = new Map<string, unknown>();
  for (const [index, name] of columns.entries())
    if (name !== '') cellsByName.set(name, cellValue(cells[index] ?? null));
  return {
    line: row,
    cells: cellsByName,
    raw: JSON.stringify(cells),
    problems: [
      ...columnProblems(problems, columns, isIgnored),
      ...cells.flatMap((cell, index): RowProblem[] =>
        cell !== null && !columns[index] && !isIgnored('')
          ? [{ what: unnamedProblem(index, canBeIgnored) }]
          : [],
      ),
    ],
  };
}

/** Returns the problems of columns that aren't ignored. A merged range has the name of its first such column. */
function columnProblems(
  problems: SheetRow['problems'],
  columns: readonly string[],
  isIgnored: IsIgnored,
): RowProblem[] {
  return problems.flatMap(({ at, to = at, what }) => {
    for (let index = at; index <= Math.max(at, Math.min(to, columns.length - 1)); index++)
      if (!isIgnored(columns[index] ?? ''))
        return [{ column: columns[index] || `column ${index + 1}`, what }];
    return [];
  });
}

function cellValue(cell: SheetCell): string | number | boolean | FormattedCell {
  if (cell === null) return '';
  if (typeof cell !== 'object') return cell;
  if ('date' in cell) return new FormattedCell(cell.date, undefined, `is a date in a text column ${asText}`);
  const { number, shown } = cell;
  const digitsOf = (text: string) => text.replaceAll(/\D/g, '').replace(/^0+(?=\d)/, '');
  const isComplete = digitsOf(shown).includes(digitsOf(formatCell(number)));
  const textProblem = isComplete
    ? undefined
    : `is ${formatCell(number)}, but its format shows something else ${asText}`;
  return new FormattedCell(shown, number, textProblem);
}

const asText = '(format the column as text and enter it again)';

interface FoundHeader {
  columns: readonly string[];
  /** The number of its row, counted from 1. */
  row: number;
  /** The number of rows above it that aren't empty. */
  rowsAbove: number;
}

/** The maximum number of ranges of hidden rows in a note. */
const maxListedRanges = 5;

/** Returns the notes for the user. `hasFlags` is true if the command has --sheet; `defaultSheet` is the name of the sheet that is read by default. */
function sheetNotes(
  label: string,
  { sheet, otherSheets, isNamed, formulas, rows, ...hidden }: ReadResult,
  header: FoundHeader,
  { hasFlags, defaultSheet }: { hasFlags: boolean; defaultSheet: string },
): string[] {
  const notes: string[] = [];
  if (otherSheets.length > 0 && !isNamed) {
    const more = otherSheets.length > 5 ? `, and ${otherSheets.length - 5} more` : '';
    const isOne = otherSheets.length === 1;
    const advice = hasFlags
      ? 'To choose one, use --sheet'
      : `A sheet named ${defaultSheet} would be read instead`;
    notes.push(
      `${label}: reading sheet "${sheet}". Other ${isOne ? 'sheet' : 'sheets'}: ${otherSheets.slice(0, 5).join(', ')}${more}. ${advice}.`,
    );
  }
  const hiddenColumns = hidden.hiddenColumns.map((index) => header.columns[index] ?? '').filter(Boolean);
  const hiddenRows = hidden.hiddenRows
    .map(({ from, to }) => ({ from: Math.max(from, header.row + 1), to }))
    .filter(({ from, to }) => from <= to);
  if (hiddenRows.length > 0) notes.push(hiddenRowsNote(label, hiddenRows, rows - header.rowsAbove - 1));
  if (hiddenColumns.length > 0) {
    const isOne = hiddenColumns.length === 1;
    notes.push(
      `${label} hides the ${isOne ? 'column' : 'columns'} ${hiddenColumns.join(', ')}, but ${isOne ? 'it is' : 'they are'} also read. To ignore ${isOne ? 'it' : 'them'}, delete ${isOne ? 'it' : 'them'} in the sheet.`,
    );
  }
  if (formulas > 0) {
    const isOne = formulas === 1;
    notes.push(
      `${label} has ${isOne ? 'a formula' : `${formatCount(formulas)} formulas`}: ${isOne ? 'its value' : 'their values'} from when the workbook was saved ${isOne ? 'is' : 'are'} used.`,
    );
  }
  return notes;
}

/** Returns the note on hidden rows. They are read, because spreadsheet programs also include them in CSV. */
function hiddenRowsNote(label: string, hiddenRanges: readonly HiddenRows[], rows: number): string {
  const count = hiddenRanges.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  const ranges = hiddenRanges
    .slice(0, maxListedRanges)
    .map(({ from, to }) => (from === to ? `${from}` : `${from}–${to}`));
  const more = hiddenRanges.length > maxListedRanges ? ', …' : '';
  const isOne = count === 1;
  return `${label} hides ${rows === 1 ? 'its only row' : `${formatCount(count)} of its ${formatCount(rows)} rows`}, as filters do (${isOne ? 'row' : 'rows'} ${ranges.join(', ')}${more}), but ${isOne ? 'it is' : 'they are'} also read. To ignore ${isOne ? 'it' : 'them'}, delete ${isOne ? 'it' : 'them'} in the sheet.`;
}
