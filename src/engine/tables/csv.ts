/** Reads rows of CSV, as RFC 4180 defines it and as spreadsheets write it, with their lines and problems. */

import { usage } from '../../base/errors.ts';
import { formatCount } from '../../base/shown-items.ts';
import { normalizeColumnName } from './columns/columns.ts';
import { type DetectedDialect, type Dialect, type DialectOptions, detectDialect } from './csv-dialect.ts';
import {
  type CsvRecord,
  CsvSplitter,
  type CsvSyntax,
  formatCsvRow,
  maxRecordCharacters,
  RecordTooLong,
  splitRecord,
} from './csv-splitter.ts';
import { areCellsBlank, surveyCsv } from './csv-survey.ts';
import { type DetectedEncoding, decodeFile } from './detect-encoding.ts';
import { chooseHeaderRow, titleNote } from './find-header.ts';
import type { InputFile } from './input-file.ts';
import { findSideRows, repeatsHeader, type SideRowOptions, type SideRows } from './side-rows.ts';
import {
  type RowProblem,
  refuseDuplicateColumns,
  type Table,
  type TableRow,
  unnamedProblem,
} from './table.ts';

/** An open CSV file. */
export interface CsvTable extends Table {
  format: 'csv';
  columns: readonly string[];
  dialect: Dialect;
  encoded: DetectedEncoding;
  notes: readonly string[];
}

/** The options for opening a CSV file. */
export interface CsvOptions extends DialectOptions, SideRowOptions {
  /** Whether the command has the flags `--delimiter` and `--quote`. */
  hasFlags: boolean;
}

/**
 * Reads the header and surveys all rows. Throws a usage failure if there is no header, its quotes are wrong, or it has
 * duplicate columns.
 */
export async function openCsv(
  source: InputFile,
  encoded: DetectedEncoding,
  options: CsvOptions,
): Promise<CsvTable> {
  const { label } = source;
  const { text, isWhole } = await readBeginning(source, encoded);
  const detected = detectDialect(text, isWhole, options);
  const { dialect, rows, headerIndex } = detected;
  if (headerIndex === undefined) {
    // Titles may hide the separator of the table.
    const splitRows = rows.map((row) =>
      row.cells.length > 1 ? row : { ...row, cells: row.raw.split(/[;\t|]/) },
    );
    const headerRow = await chooseHeaderRow(label, splitRows, options);
    if (headerRow !== undefined)
      return { ...(await openCsv(source, encoded, { ...options, headerRow })), isHeaderChosen: true };
  }
  const { line: headerLine = 1, row: headerRow } = rows[headerIndex ?? 0] ?? {};
  const header = await readHeader(source, encoded, dialect, headerLine);
  const columns = header.cells.map((name) => name.trim());
  const { isIgnored, hasFlags } = options;
  refuseDuplicateColumns(
    columns,
    `${label} has duplicate columns in its header (line ${header.line})`,
    isIgnored,
  );
  const below = { dialect, header, width: columns.length };
  const sideRows = await findSideRows(label, columns, readRecordsBelow(source, encoded, below), options);
  const readRecords = () => readRecordsBelow(source, encoded, { ...below, sideRows });
  const { extraCells, notes } = await surveyCsv(readRecords(), { label, columns, syntax: dialect, hasFlags });
  const expected = {
    columns,
    normalizedNames: columns.map(normalizeColumnName),
    extraCells,
    delimiter: dialect.delimiter,
    canBeIgnored: isIgnored !== undefined,
  };
  return {
    format: 'csv',
    columns,
    dialect,
    encoded,
    headerRow,
    notes: [...dialectNotes(label, detected, options), ...sideRows.notes, ...notes],
    rows: (isIgnored) => toTableRows(readRecords(), { ...expected, isUnnamedIgnored: isIgnored?.('') }),
  };
}

/** Returns the raw row with empty cells in the named columns. */
export function clearCsvCells(raw: string, { dialect, columns }: CsvTable, names: readonly string[]): string {
  const cells = splitRecord(raw, dialect).map((cell, index) =>
    names.includes(columns[index] ?? '') ? '' : cell,
  );
  return formatCsvRow(cells, dialect);
}

async function readHeader(
  source: InputFile,
  encoded: DetectedEncoding,
  dialect: Dialect,
  headerLine: number,
): Promise<CsvRecord> {
  for await (const batch of readAllRecords(source, encoded, dialect)) {
    const header = batch.find(({ line }) => line >= headerLine);
    if (header?.problem !== undefined)
      throw usage(`${source.label}: the row at line ${header.line} ${header.problem}.`);
    if (header) return header;
  }
  throw usage(`${source.label} is empty: it has no header.`);
}

function dialectNotes(
  label: string,
  { dialect, rows, headerIndex = 0 }: DetectedDialect,
  { quote, hasFlags }: CsvOptions,
): string[] {
  const notes: string[] = [];
  if (headerIndex > 0) notes.push(titleNote(label, rows[headerIndex]?.line ?? 0));
  if (dialect.quote !== '"' && quote === undefined) {
    const advice = hasFlags ? ' To read them as text: --quote double.' : '';
    notes.push(`${label} has cells in single quotes, which are read as quotes.${advice}`);
  }
  if (dialect.delimiter.length > 1)
    notes.push(`${label} has a space after each ${delimiterName(dialect.delimiter)} between cells; ignored.`);
  return notes;
}

/** Reads all records of the file, including title and header. Throws a usage failure for a record that is too long. */
async function* readAllRecords(
  source: InputFile,
  { encoding }: DetectedEncoding,
  syntax: CsvSyntax,
  width?: number,
): AsyncGenerator<readonly CsvRecord[]> {
  const splitter = new CsvSplitter(syntax, width);
  try {
    for await (const text of decodeFile(source, encoding)) {
      const records = [...splitter.split(text, false)];
      if (records.length > 0) yield records;
    }
    yield [...splitter.split('', true)];
  } catch (error) {
    if (!(error instanceof RecordTooLong)) throw error;
    const limit = formatCount(maxRecordCharacters);
    throw usage(`${source.label}: the row at line ${error.line} has more than ${limit} characters.`, {
      hint: 'Check that its rows end with a line break: LF, CRLF or CR.',
    });
  }
}

interface RecordsBelowHeader {
  dialect: Dialect;
  header: CsvRecord;
  /** The number of cells in the header. */
  width: number;
  /** The rows that are skipped. */
  sideRows?: SideRows;
}

async function* readRecordsBelow(
  source: InputFile,
  encoded: DetectedEncoding,
  { dialect, header, width, sideRows }: RecordsBelowHeader,
) {
  for await (const batch of readAllRecords(source, encoded, dialect, width)) {
    const recordsBelow = batch.filter((record) => record.line > header.line && !sideRows?.has(record));
    if (recordsBelow.length > 0) yield recordsBelow;
  }
}

/** The columns of a file, and the cells that its rows may have. */
interface ExpectedCells {
  columns: readonly string[];
  /** The normalized names of the columns. */
  normalizedNames: readonly string[];
  extraCells: number;
  delimiter: string;
  /** Whether the command has flags that ignore columns. */
  canBeIgnored: boolean;
  isUnnamedIgnored?: boolean | undefined;
}

async function* toTableRows(
  records: AsyncIterable<readonly CsvRecord[]>,
  expected: ExpectedCells,
): AsyncGenerator<TableRow> {
  for await (const batch of records) {
    for (const record of batch) {
      if (record.problem !== undefined || !areCellsBlank(record.cells)) yield rowOf(record, expected);
    }
  }
}

/** Returns the row of a record. If its cells may be in the wrong columns, it has a problem and no cells. */
function rowOf(record: CsvRecord, expected: ExpectedCells): TableRow {
  const { line, raw, cells } = record;
  const problem = problemOf(record, expected);
  if (problem !== undefined) return { line, cells: new Map(), raw, problems: [{ what: problem }] };
  const cellsByName = new Map<string, unknown>();
  const { columns } = expected;
  for (let index = 0; index < columns.length; index++) {
    const name = columns[index] ?? '';
    if (name !== '') cellsByName.set(name, cells[index] ?? '');
  }
  return { line, cells: cellsByName, raw, problems: noProblems };
}

const noProblems: readonly RowProblem[] = [];

function problemOf(
  record: CsvRecord,
  { columns, normalizedNames, extraCells, delimiter, ...unnamed }: ExpectedCells,
): string | undefined {
  const { cells, line, lines } = record;
  const where = lines > 1 ? ` (lines ${line} to ${line + lines - 1})` : '';
  if (record.problem !== undefined) return record.problem + where;
  if (repeatsHeader(cells, normalizedNames)) return 'repeats the header';
  if (cells.length !== columns.length) {
    const isExpected =
      cells.length === columns.length + extraCells && areCellsBlank(cells.slice(columns.length));
    if (!isExpected) {
      const count = cells.length === 1 ? '1 cell' : `${cells.length} cells`;
      const advice =
        cells.length > columns.length
          ? `: put a cell that contains a ${delimiterName(delimiter)} in quotes`
          : '';
      return `has ${count}, but the header has ${columns.length}${advice}${where}`;
    }
  }
  if (unnamed.isUnnamedIgnored) return undefined;
  const unnamedIndex = columns.findIndex((name, index) => name === '' && cells[index]?.trim() !== '');
  return unnamedIndex === -1 ? undefined : unnamedProblem(unnamedIndex, unnamed.canBeIgnored);
}

function delimiterName(delimiter: string): string {
  const delimiterNames: Readonly<Record<string, string>> = {
    ',': 'comma',
    ';': 'semicolon',
    '\t': 'tab',
    '|': 'pipe',
  };
  return delimiterNames[delimiter[0] ?? ''] ?? 'separator';
}

/** The number of characters from which the dialect is detected. */
const dialectSampleCharacters = 65_536;

async function readBeginning(
  source: InputFile,
  { encoding }: DetectedEncoding,
): Promise<{ text: string; isWhole: boolean }> {
  let text = '';
  for await (const part of decodeFile(source, encoding)) {
    text += part;
    if (text.length >= dialectSampleCharacters) return { text, isWhole: false };
  }
  return { text, isWhole: true };
}
