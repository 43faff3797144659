/**
 * The worker thread that reads and writes workbooks. A workbook may have any content, so it may take too long or too much
 * memory, which must not affect the program. Only this file, read-sheet.ts and write-book.ts use the library.
 */
import { closeSync, createReadStream, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { readXlsx, type Sheet, streamXlsxRows } from 'hucre/xlsx';
import { lines } from '../lines.ts';
import { maxSheetRows, type SheetCell } from './cell.ts';
import type { Answer, ReadTask, Refusal, SheetHead, SheetRow, WriteTask } from './messages.ts';
import { formulasIn, HiddenParts, hasTooMany, sheetRows } from './read-sheet.ts';
import { bookOf, type FilledSheet } from './write-book.ts';
import { tooMuchIn } from './zip-sizes.ts';

void answer(workerData as ReadTask | WriteTask).then((given) => parentPort?.postMessage(given));

async function answer(task: ReadTask | WriteTask): Promise<Answer> {
  try {
    return task.task === 'read' ? await read(task) : await write(task);
  } catch (error) {
    return { broken: error instanceof Error ? error.message : String(error) };
  }
}

async function read(task: ReadTask): Promise<Answer> {
  const bytes = readFileSync(task.file);
  const tooMuch = tooMuchIn(bytes);
  if (tooMuch !== undefined) return { refused: tooMuch };
  const sheets: { name: string; isHidden: boolean }[] = [];
  await readXlsx(bytes, {
    sheets: ({ name, hidden, veryHidden }) => {
      sheets.push({ name, isHidden: hidden === true || veryHidden === true });
      return false;
    },
  });
  const chosen = chooseSheet(sheets, task);
  if (typeof chosen !== 'string') return chosen;
  const book = await readXlsx(bytes, { sheets: [chosen], maxRows: maxSheetRows + 2, readStyles: true });
  const [sheet] = book.sheets;
  if (!sheet) return { refused: `has no rows in its sheet "${chosen}"` };
  if (hasTooMany(sheet)) {
    return {
      refused: `has more than ${maxSheetRows.toLocaleString('en-US')} rows in its sheet "${chosen}"`,
      hint: 'Save the sheet as CSV (UTF-8) and import that: it may have any number of rows.',
    };
  }
  const repeated = await repeatedRow(bytes, chosen);
  if (repeated !== undefined)
    return { refused: `has several rows with the number ${repeated} in its sheet "${chosen}"` };
  const hidden = new HiddenParts(sheet);
  writeRows(task.rows, sheet, (row) => hidden.note(row));
  const others = sheets.filter(({ name, isHidden }) => !isHidden && name !== chosen).map(({ name }) => name);
  const isNamed = [task.sheet ?? '', ...task.usual].some((name) => named([chosen], name));
  const hiddenSheets = sheets.filter(({ isHidden }) => isHidden).map(({ name }) => name);
  return {
    read: { sheet: chosen, isNamed, others, hiddenSheets, formulas: formulasIn(sheet), ...hidden.found },
  };
}

/** Returns the number of the first row that occurs twice: a sheet keeps only the last row of a number. */
async function repeatedRow(bytes: Buffer, sheet: string): Promise<number | undefined> {
  const seen = new Set<number>();
  for await (const { index, values } of streamXlsxRows(bytes, { sheet })) {
    if (values.every((value) => value === null)) continue;
    if (seen.has(index)) return index + 1;
    seen.add(index);
  }
  return undefined;
}

function chooseSheet(
  sheets: readonly { name: string; isHidden: boolean }[],
  { sheet: sheetName, usual }: ReadTask,
): string | Refusal {
  const names = sheets.map(({ name }) => name);
  const seen = sheets.filter(({ isHidden }) => !isHidden).map(({ name }) => name);
  if (sheetName !== undefined) {
    const found = named(names, sheetName);
    return found ?? { refused: `has no sheet "${sheetName}"`, hint: `Its sheets: ${names.join(', ')}.` };
  }
  const chosen = usual.map((name) => named(seen, name)).find((name) => name !== undefined) ?? seen[0];
  if (chosen !== undefined) return chosen;
  const hint =
    names.length === 0 ? undefined : `Hidden sheets: ${names.join(', ')}. Choose one with --sheet.`;
  return { refused: 'has no visible sheet', hint };
}

/** Finds a sheet by its name, ignoring case as spreadsheets do. */
function named(names: readonly string[], wanted: string): string | undefined {
  return names.find((name) => name === wanted) ?? names.find((name) => plain(name) === plain(wanted));
}

function plain(name: string): string {
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

async function write({ rows, file }: WriteTask): Promise<Answer> {
  const sheets: FilledSheet[] = [];
  for await (const line of lines(createReadStream(rows, 'utf8'))) {
    const value = JSON.parse(line) as SheetHead | SheetCell[];
    if (Array.isArray(value)) sheets.at(-1)?.rows.push(value);
    else sheets.push({ head: value, rows: [] });
  }
  writeFileSync(file, await bookOf(sheets), { mode: 0o600 });
  return { written: true };
}
