/** Reads rows of a sheet with their numbers and problems. The sheet is unpacked once to a temporary file of lines. */
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure, usage } from '../base/errors.ts';
import { headerAmong, maxHeaderRows, titleNote } from './header-below.ts';
import { lines } from './lines.ts';
import { sheetNotes } from './sheet-notes.ts';
import type { Source } from './source.ts';
import type { RowProblem, Table, TableRow } from './table.ts';
import { cellText, type SheetCell } from './workbook/cell.ts';
import { inWorker } from './workbook/in-worker.ts';
import type { Read, ReadTask, SheetRow } from './workbook/messages.ts';
import { maxFileBytes } from './workbook/zip-sizes.ts';

/** An open workbook. */
export interface XlsxTable extends Table {
  form: 'xlsx';
  columns: readonly string[];
  sheet: string;
  notes: readonly string[];
}

/** How a workbook is opened. */
export interface XlsxOptions {
  /** The name of the sheet to read. */
  sheet?: string | undefined;
  /** The name of the sheet that is read by default instead of the first one. */
  usual: string;
  /** Whether the command has the flag `--sheet`. */
  hasFlags: boolean;
  /** Plain names of columns that identify a header. */
  known: ReadonlySet<string>;
}

/** The first bytes of workbooks: ZIP files, and encrypted or old ones. */
const [packed, enclosed] = [Buffer.from('PK\u0003\u0004'), Buffer.from([0xd0, 0xcf, 0x11, 0xe0])];

/** Returns whether a file starts like a workbook. */
export async function beginsAsWorkbook({ path }: Source): Promise<boolean> {
  const handle = await open(path);
  try {
    const { buffer } = await handle.read(Buffer.alloc(4), 0, 4, 0);
    return buffer.equals(packed);
  } finally {
    await handle.close();
  }
}

/** Opens a workbook. Throws a usage failure if it isn't one, or the sheet is missing or has no header or duplicate columns. */
export async function openXlsx(
  source: Source,
  { sheet, usual, known, hasFlags }: XlsxOptions,
): Promise<XlsxTable> {
  await refuseOthers(source);
  const rows = join(source.scratch(), 'sheet');
  const found = await readInto(rows, source, { sheet, usual: [usual] });
  const first = await firstRows(rows);
  const at = headerAmong(
    first.map(({ cells }) => cells.map(textOf)),
    known,
  );
  const header = first[at];
  if (!header)
    throw usage(`${source.label} has no header in its sheet "${found.sheet}": the sheet is empty.`);
  const columns = columnsOf(source, found, header);
  const notes = sheetNotes(source.label, found, { hasFlags, usual });
  return {
    form: 'xlsx',
    columns,
    sheet: found.sheet,
    notes: at > 0 ? [titleNote(source.label, header.row), ...notes] : notes,
    rows: () => tableRows(rows, columns, header.row),
  };
}

/** Returns the names of the sheets. Throws a usage failure if the file isn't a workbook. */
export async function sheetNames(source: Source): Promise<{ visible: string[]; hidden: string[] }> {
  await refuseOthers(source);
  const read = await readInto(join(source.scratch(), 'sheet'), source, { usual: [] });
  return { visible: [read.sheet, ...read.others], hidden: read.hiddenSheets };
}

async function firstRows(file: string): Promise<SheetRow[]> {
  const rows: SheetRow[] = [];
  for await (const row of sheetRows(file)) {
    rows.push(row);
    if (rows.length === maxHeaderRows) break;
  }
  return rows;
}

async function refuseOthers(source: Source): Promise<void> {
  const { label } = source;
  const size = (await stat(source.path)).size;
  if (size > maxFileBytes) {
    throw usage(
      `${label} has ${Math.ceil(size / 1024 / 1024)} MB; the limit for workbooks is ${maxFileBytes / 1024 / 1024} MB.`,
      {
        hint: 'Save the sheet as CSV (UTF-8) and import that: it may have any size.',
      },
    );
  }
  if (await beginsAsWorkbook(source)) return;
  const handle = await open(source.path);
  const { buffer } = await handle.read(Buffer.alloc(4), 0, 4, 0).finally(() => handle.close());
  if (buffer.equals(enclosed)) {
    throw usage(`${label} is encrypted or in the old XLS format.`, {
      hint: 'Save it as XLSX without a password, or as CSV (UTF-8).',
    });
  }
  throw usage(`${label} isn't a workbook${size === 0 ? ': it is empty' : ', although its name says so'}.`, {
    hint: 'If it is text, rename it to .csv, .ndjson or .json.',
  });
}

async function readInto(
  rows: string,
  { label, path }: Source,
  options: Pick<ReadTask, 'sheet' | 'usual'>,
): Promise<Read> {
  const ended = await inWorker({ task: 'read', file: path, rows, ...options });
  if ('read' in ended) return ended.read;
  if ('refused' in ended) throw usage(`${label} ${ended.refused}.`, { hint: ended.hint ?? saveAgain });
  if ('exhausted' in ended) {
    const what = ended.exhausted === 'time' ? 'takes too long to unpack' : 'takes too much memory to unpack';
    throw usage(`${label} ${what}.`, { hint: 'Save the sheet as CSV (UTF-8) and import that.' });
  }
  const reason = 'broken' in ended ? ended.broken : 'no answer';
  throw usage(`${label} can't be read as a workbook: ${reason.replace(/\.$/, '')}.`, { hint: saveAgain });
}

const saveAgain = 'Open it in a spreadsheet program and save it again as XLSX or as CSV (UTF-8).';

function columnsOf({ label }: Source, { sheet }: Read, { row, cells, problems }: SheetRow): string[] {
  const where = `in the header of its sheet "${sheet}" (row ${row})`;
  if (problems.length > 0) {
    const mistakes = problems.map(
      ({ at, what }) => `${cellText(cells[at] ?? null) || `column ${at + 1}`} ${what}`,
    );
    throw usage(`${label} has invalid column names ${where}: ${mistakes.join('; ')}.`);
  }
  const columns = cells.map((cell) => cellText(cell).trim());
  const twice = columns.filter((name, at) => name !== '' && columns.indexOf(name) !== at);
  if (twice.length > 0) {
    throw usage(`${label} has duplicate columns ${where}: ${[...new Set(twice)].join(', ')}.`, {
      hint: 'Name each column once.',
    });
  }
  return columns;
}

async function* sheetRows(file: string): AsyncGenerator<SheetRow> {
  try {
    for await (const line of lines(createReadStream(file, 'utf8'))) yield JSON.parse(line) as SheetRow;
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

function textOf(cell: SheetCell): string {
  return cell === null ? '' : cellText(cell);
}

async function* tableRows(
  file: string,
  columns: readonly string[],
  headerRow: number,
): AsyncGenerator<TableRow> {
  for await (const row of sheetRows(file)) if (row.row > headerRow) yield rowOf(row, columns);
}

function rowOf({ row, cells, problems }: SheetRow, columns: readonly string[]): TableRow {
  const named = new Map<string, unknown>();
  for (const [at, name] of columns.entries()) if (name !== '') named.set(name, valueIn(cells[at] ?? null));
  return {
    line: row,
    cells: named,
    raw: JSON.stringify(cells),
    problems: [
      ...problems.map(({ at, what }): RowProblem => ({ column: columns[at] || `column ${at + 1}`, what })),
      ...cells.flatMap((cell, at): RowProblem[] =>
        cell !== null && !columns[at] ? [{ what: `has a value in column ${at + 1}, which has no name` }] : [],
      ),
    ],
  };
}

/** Returns the value of a cell; dates as unambiguous texts. */
function valueIn(cell: SheetCell): string | number | boolean {
  if (cell === null) return '';
  return typeof cell === 'object' ? cell.date : cell;
}
