/** Rows of CSV, as RFC 4180 has it and spreadsheets write it, each with its place and what is wrong with it. */
import { usage } from '../base/errors.ts';
import { plainName } from './columns/columns.ts';
import { type Dialect, type DialectFound, type DialectOptions, dialectOf } from './csv-dialect.ts';
import { records } from './csv-records.ts';
import { type CsvRecord, cellsIn, rowText } from './csv-splitter.ts';
import { isBlank, surveyOf } from './csv-survey.ts';
import { decoded, type Encoded } from './encoding.ts';
import { titleRemark } from './header-below.ts';
import type { Source } from './source.ts';
import type { RowProblem, Table, TableRow } from './table.ts';

export interface CsvTable extends Table {
  form: 'csv';
  columns: readonly string[];
  dialect: Dialect;
  encoded: Encoded;
  remarks: readonly string[];
}

export interface CsvOptions extends DialectOptions {
  /** Whether the line may say `--delimiter` and `--quote`. */
  hasFlags: boolean;
}

/**
 * Reads the header, and looks at every row once. Throws a usage failure where there is no header, its quotes are wrong,
 * or a column stands in it twice.
 */
export async function openCsv(source: Source, encoded: Encoded, options: CsvOptions): Promise<CsvTable> {
  const { called } = source;
  const { text, isWhole } = await beginningOf(source, encoded);
  const found = dialectOf(text, isWhole, options);
  const { dialect } = found;
  const header = await headerOf(source, encoded, found);
  const columns = header.cells.map((name) => name.trim());
  refuseHeader(called, columns, header.line);
  const below = () => recordsBelow(source, encoded, { dialect, header, width: columns.length });
  const { hasFlags } = options;
  const { extraCells, remarks } = await surveyOf(below(), { called, columns, syntax: dialect, hasFlags });
  const expected = { columns, plain: columns.map(plainName), extraCells, delimiter: dialect.delimiter };
  return {
    form: 'csv',
    columns,
    dialect,
    encoded,
    remarks: [...dialectRemarks(called, found, options), ...remarks],
    rows: () => rows(below(), expected),
  };
}

/** The text of a row with empty cells in these columns: each of the others keeps its place. */
export function csvWithout(raw: string, { dialect, columns }: CsvTable, names: readonly string[]): string {
  const cells = cellsIn(raw, dialect).map((cell, at) => (names.includes(columns[at] ?? '') ? '' : cell));
  return rowText(cells, dialect);
}

async function headerOf(source: Source, encoded: Encoded, found: DialectFound): Promise<CsvRecord> {
  for await (const batch of records(source, encoded, found.dialect)) {
    const header = batch.find(({ line }) => line >= (found.headerLine ?? 1));
    if (header?.problem !== undefined)
      throw usage(`${source.called}: the row at line ${header.line} ${header.problem}.`);
    if (header) return header;
  }
  throw usage(`${source.called} is empty: it has no header.`);
}

function dialectRemarks(
  called: string,
  { dialect, headerLine, hasTitle }: DialectFound,
  { quote, hasFlags }: CsvOptions,
): string[] {
  const remarks: string[] = [];
  if (hasTitle && headerLine !== undefined) remarks.push(titleRemark(called, headerLine));
  if (dialect.quote !== '"' && quote === undefined) {
    const how = hasFlags ? ' --quote double takes them for text.' : '';
    remarks.push(`${called} has cells in apostrophes, which are read as quotes.${how}`);
  }
  if (dialect.delimiter.length > 1)
    remarks.push(
      `${called} has a blank behind each ${delimiterName(dialect.delimiter)} between cells, left out here.`,
    );
  return remarks;
}

interface Below {
  dialect: Dialect;
  header: CsvRecord;
  /** How many cells the header has. */
  width: number;
}

async function* recordsBelow(source: Source, encoded: Encoded, { dialect, header, width }: Below) {
  for await (const batch of records(source, encoded, dialect, width)) {
    const below = batch.filter(({ line }) => line > header.line);
    if (below.length > 0) yield below;
  }
}

interface Expected {
  columns: readonly string[];
  /** The same, plainly written. */
  plain: readonly string[];
  extraCells: number;
  delimiter: string;
}

async function* rows(
  below: AsyncIterable<readonly CsvRecord[]>,
  expected: Expected,
): AsyncGenerator<TableRow> {
  for await (const batch of below) {
    for (const record of batch) {
      if (record.problem !== undefined || !isBlank(record.cells)) yield rowOf(record, expected);
    }
  }
}

/** A row whose cells may stand in other columns than theirs has none: nothing of it is taken, nor is told of it. */
function rowOf(record: CsvRecord, expected: Expected): TableRow {
  const { line, raw, cells } = record;
  const what = problemOf(record, expected);
  if (what !== undefined) return { line, cells: new Map(), raw, problems: [{ what }] };
  const named = new Map<string, unknown>();
  const { columns } = expected;
  for (let at = 0; at < columns.length; at++) {
    const name = columns[at] ?? '';
    if (name !== '') named.set(name, cells[at] ?? '');
  }
  return { line, cells: named, raw, problems: none };
}

const none: readonly RowProblem[] = [];

function problemOf(
  record: CsvRecord,
  { columns, plain, extraCells, delimiter }: Expected,
): string | undefined {
  const { cells, line, lines } = record;
  const where = lines > 1 ? ` (lines ${line} to ${line + lines - 1})` : '';
  if (record.problem !== undefined) return record.problem + where;
  // Files that were put one behind the other, each with its header.
  if (columns.length > 1 && columns.every((name, at) => isSameName(cells[at], name, plain[at])))
    return 'is the header once more';
  if (cells.length !== columns.length) {
    const isExpected = cells.length === columns.length + extraCells && isBlank(cells.slice(columns.length));
    if (!isExpected) {
      const count = cells.length === 1 ? '1 cell' : `${cells.length} cells`;
      const why =
        cells.length > columns.length
          ? `: a cell that holds a ${delimiterName(delimiter)} stands in quotes`
          : '';
      return `has ${count}, and the header ${columns.length}${why}${where}`;
    }
  }
  const at = columns.findIndex((name, column) => name === '' && cells[column]?.trim() !== '');
  return at === -1 ? undefined : `has a value in column ${at + 1}, which has no name`;
}

function isSameName(cell: string | undefined, name: string, plain: string | undefined): boolean {
  return cell === name || plainName(cell ?? '') === plain;
}

function delimiterName(delimiter: string): string {
  const named: Readonly<Record<string, string>> = {
    ',': 'comma',
    ';': 'semicolon',
    '\t': 'tab',
    '|': 'pipe',
  };
  return named[delimiter[0] ?? ''] ?? 'separator';
}

function refuseHeader(called: string, columns: readonly string[], line: number): void {
  const twice = columns.filter((name, at) => name !== '' && columns.indexOf(name) !== at);
  if (twice.length > 0) {
    throw usage(
      `${called} has a column twice in its header (line ${line}): ${[...new Set(twice)].join(', ')}.`,
      {
        hint: 'Name each column once.',
      },
    );
  }
}

/** Characters that are enough to see how a file is written. */
const beginningLength = 65_536;

async function beginningOf(
  source: Source,
  { encoding }: Encoded,
): Promise<{ text: string; isWhole: boolean }> {
  let text = '';
  for await (const part of decoded(source, encoding)) {
    text += part;
    if (text.length >= beginningLength) return { text, isWhole: false };
  }
  return { text, isWhole: true };
}
