/**
 * The worker thread that reads and writes workbooks. A workbook may have any content, so it may take too long or too much
 * memory, which must not affect the program. Only this file, read-sheet.ts and write-book.ts use the library.
 */

import { closeSync, createReadStream, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { readXlsx, type Sheet, streamXlsxRows } from 'hucre/xlsx';
import { formatCount } from '../../base/shown-items.ts';
import { splitLines } from '../split-lines.ts';
import { maxSheetRows, type SheetCell } from './cell.ts';
import { findCellProblem } from './cell-problems.ts';
import type {
  HiddenRows,
  ReadTask,
  RefusedWorkbook,
  SheetHeader,
  SheetRow,
  WorkerResult,
  WriteTask,
} from './messages.ts';
import { addIfHidden, countFormulas, isEmpty, sheetRows } from './read-sheet.ts';
import { buildWorkbook, type FilledSheet } from './write-book.ts';
import { sizeProblemOf } from './zip-sizes.ts';

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
