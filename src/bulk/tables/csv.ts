/** Rows of CSV, as RFC 4180 has it and spreadsheets write it, each with its place and what is wrong with it. */
import { CsvError, type Info, parse } from 'csv-parse';
import { usage } from '../../errors.ts';
import { plainName } from '../columns/columns.ts';
import { type Dialect, dialectOf } from './csv-dialect.ts';
import { breaksIn, decoded, type Encoded } from './encoding.ts';
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

/** A row that is longer is no row: somewhere a quote isn’t closed. In characters. */
const longestRow = 1_000_000;

interface Parsed {
  record: string[];
  raw: string;
  info: Info;
}

/** Reads as far as the header. Throws a usage failure where there is none, or a column stands in it twice. */
export async function openCsv(source: Source, encoded: Encoded, options: CsvOptions): Promise<CsvTable> {
  const dialect = dialectOf(await beginningOf(source, encoded), options.known, options.delimiter);
  for await (const { record, raw, line } of records(source, encoded, dialect)) {
    const columns = record.map((name) => name.trim());
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

async function* rows(
  source: Source,
  encoded: Encoded,
  dialect: Dialect,
  columns: readonly string[],
): AsyncGenerator<TableRow> {
  let isHeader = true;
  for await (const { record, raw, line } of records(source, encoded, dialect)) {
    if (isHeader) isHeader = false;
    // Spreadsheets leave lines of nothing but separators and blanks behind.
    else if (record.some((cell) => cell.trim() !== '')) yield rowOf(record, raw, line, columns);
  }
}

function rowOf(record: readonly string[], raw: string, line: number, columns: readonly string[]): TableRow {
  const cells = new Map<string, unknown>();
  for (const [at, name] of columns.entries()) if (name !== '') cells.set(name, record[at] ?? '');
  return { line, cells, raw, problems: problemsOf(record, columns) };
}

function problemsOf(record: readonly string[], columns: readonly string[]): RowProblem[] {
  // Files that were put one behind the other, each with its header.
  if (columns.length > 1 && columns.every((name, at) => plainName(record[at] ?? '') === plainName(name)))
    return [{ what: 'is the header once more' }];
  const beyond = record.slice(columns.length).find((cell) => cell.trim() !== '');
  if (record.length < columns.length || beyond !== undefined) {
    return [{ what: `has ${record.length} cells, and the header ${columns.length}` }];
  }
  return columns.flatMap((name, at) =>
    name === '' && record[at]?.trim() !== ''
      ? [{ what: `has a value in column ${at + 1}, which has no name` }]
      : [],
  );
}

interface Found {
  record: string[];
  raw: string;
  line: number;
}

/** Every record with the line that it begins in, the header first. */
async function* records(source: Source, encoded: Encoded, dialect: Dialect): AsyncGenerator<Found> {
  const parser = parse({
    delimiter: dialect.delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: longestRow,
    info: true,
    raw: true,
  });
  let line = 1;
  const feeding = feed(decoded(source, encoded.encoding), parser);
  let isFirst = true;
  try {
    for await (const { record, raw } of parser as AsyncIterable<Parsed>) {
      const text = raw.replace(/[\r\n]+$/, '');
      // Some spreadsheets begin with a line that names the separator.
      const isHint = isFirst && /^"?sep=.?"?$/i.test(text);
      if (!isHint && (record.length > 1 || record[0] !== '')) yield { record, raw: text, line };
      isFirst = false;
      line += breaksIn(text) + 1;
    }
  } catch (error) {
    throw error instanceof CsvError ? asFailure(source, error, await lineOf(error, source, encoded)) : error;
  } finally {
    parser.destroy();
    await feeding.catch(() => undefined);
  }
  await feeding;
}

async function feed(texts: AsyncIterable<string>, parser: ReturnType<typeof parse>): Promise<void> {
  try {
    for await (const text of texts) {
      if (parser.destroyed) return;
      if (!parser.write(text)) await new Promise((resolve) => ready(parser, resolve));
    }
    parser.end();
  } catch (error) {
    parser.destroy(error as Error);
  }
}

function ready(parser: ReturnType<typeof parse>, resolve: (value: unknown) => void): void {
  const done = () => {
    parser.off('drain', done);
    parser.off('close', done);
    resolve(undefined);
  };
  parser.once('drain', done);
  parser.once('close', done);
}

/** Of the record that the reader gave up in: those before it may not have come out yet. */
async function lineOf(error: CsvError, source: Source, { encoding }: Encoded): Promise<number> {
  const before = 'bytes' in error ? Number(error.bytes) : 0;
  let text = '';
  let line = 1;
  let bytes = 0;
  for await (const part of decoded(source, encoding)) {
    text = Buffer.from(part)
      .subarray(0, before - bytes)
      .toString();
    line += breaksIn(text);
    bytes += Buffer.byteLength(part);
    if (bytes >= before) break;
  }
  return line;
}

function asFailure({ called }: Source, { code, message }: CsvError, line: number) {
  switch (code) {
    case 'CSV_MAX_RECORD_SIZE':
    case 'CSV_QUOTE_NOT_CLOSED':
      return usage(`${called}: a quote that opens in the row at line ${line} is not closed.`, {
        hint: 'Within quotes, two of them stand for one.',
      });
    case 'INVALID_OPENING_QUOTE':
    case 'CSV_INVALID_CLOSING_QUOTE':
      return usage(`${called}: the row at line ${line} has a quote in the middle of a cell.`, {
        hint: 'A cell that holds quotes stands in quotes, and within them two stand for one: "12"" pizza".',
      });
    default:
      return usage(`${called} can’t be read as CSV at line ${line}: ${message}.`);
  }
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
