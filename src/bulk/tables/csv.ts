/** Rows of CSV, as RFC 4180 has it and spreadsheets write it, each with its place and what is wrong with it. */
import { usage } from '../../errors.ts';
import { plainName } from '../columns/columns.ts';
import { cellsOf, type Dialect, delimiters, dialectOf } from './csv-dialect.ts';
import { type Found, records } from './csv-records.ts';
import { decoded, type Encoded } from './encoding.ts';
import { type Below, refuseTitle } from './header-below.ts';
import type { Source } from './source.ts';
import type { RowProblem, Table, TableRow } from './table.ts';

export interface CsvTable extends Table {
  form: 'csv';
  columns: readonly string[];
  dialect: Dialect;
  encoded: Encoded;
  /** The header as it stands in the file. */
  rawHeader: string;
}

export interface CsvOptions {
  delimiter?: string | undefined;
  /** Names of columns that may stand in the header. */
  known: ReadonlySet<string>;
}

/** Reads as far as the header. Throws a usage failure where there is none, or a column stands in it twice. */
export async function openCsv(source: Source, encoded: Encoded, options: CsvOptions): Promise<CsvTable> {
  const dialect = dialectOf(await beginningOf(source, encoded), options.known, options.delimiter);
  for await (const [header] of records(source, encoded, dialect)) {
    if (!header) continue;
    const { record, raw, line } = header;
    const columns = record.map((name) => name.trim());
    await refuseTitle(source.called, columns, options.known, linesBelow(source, encoded, dialect));
    refuseHeader(source, columns, line);
    return {
      form: 'csv',
      columns,
      dialect,
      encoded,
      rawHeader: raw,
      rows: () => rows(source, encoded, dialect, columns),
    };
  }
  throw usage(`${source.called} is empty: it has no header.`);
}

/** A title tells nothing of how cells are separated: each way is tried. */
async function* linesBelow(source: Source, encoded: Encoded, dialect: Dialect): AsyncGenerator<Below> {
  for await (const batch of records(source, encoded, dialect)) {
    for (const { raw, line } of batch)
      yield { line, readings: delimiters.map((delimiter) => cellsOf(raw, delimiter)) };
  }
}

async function* rows(
  source: Source,
  encoded: Encoded,
  dialect: Dialect,
  columns: readonly string[],
): AsyncGenerator<TableRow> {
  let isHeader = true;
  const plain = columns.map(plainName);
  for await (const batch of records(source, encoded, dialect)) {
    for (const found of batch) {
      if (isHeader) isHeader = false;
      // Spreadsheets leave lines of nothing but separators and blanks behind.
      else if (found.record.some((cell) => cell.trim() !== '')) yield rowOf(found, columns, plain);
    }
  }
}

function rowOf({ record, raw, line }: Found, columns: readonly string[], plain: readonly string[]): TableRow {
  const cells = new Map<string, unknown>();
  for (let at = 0; at < columns.length; at++) {
    const name = columns[at] ?? '';
    if (name !== '') cells.set(name, record[at] ?? '');
  }
  return { line, cells, raw, problems: problemsOf(record, columns, plain) };
}

const none: readonly RowProblem[] = [];

function problemsOf(
  record: readonly string[],
  columns: readonly string[],
  plain: readonly string[],
): readonly RowProblem[] {
  // Files that were put one behind the other, each with its header.
  if (
    columns.length > 1 &&
    columns.every((name, at) => record[at] === name || plainName(record[at] ?? '') === plain[at])
  )
    return [{ what: 'is the header once more' }];
  if (record.length === columns.length && !columns.includes('')) return none;
  const beyond = record.slice(columns.length).find((cell) => cell.trim() !== '');
  if (record.length < columns.length || beyond !== undefined) {
    const cells = record.length === 1 ? '1 cell' : `${record.length} cells`;
    return [{ what: `has ${cells}, and the header ${columns.length}` }];
  }
  return columns.flatMap((name, at) =>
    name === '' && record[at]?.trim() !== ''
      ? [{ what: `has a value in column ${at + 1}, which has no name` }]
      : [],
  );
}

function refuseHeader({ called }: Source, columns: readonly string[], line: number): void {
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

/** Enough to see how cells are separated. */
async function beginningOf(source: Source, { encoding }: Encoded): Promise<string> {
  for await (const text of decoded(source, encoding)) return text.slice(0, 65_536);
  return '';
}
