/** The records of a CSV file, one after the other. As far as it has no quotes they are its lines; from the first quote on the library reads. */
import { CsvError, parse } from 'csv-parse';
import { usage } from '../../errors.ts';
import type { Dialect } from './csv-dialect.ts';
import { breaksIn, decoded, type Encoded } from './encoding.ts';
import type { Source } from './source.ts';

/** A row that is longer is no row: somewhere a quote isn’t closed. In characters. */
const longestRow = 1_000_000;

export interface Found {
  record: string[];
  raw: string;
  line: number;
}

/** Every record with the line that it begins in, the header first; as many at a time as have come. */
export async function* records(
  source: Source,
  encoded: Encoded,
  dialect: Dialect,
): AsyncGenerator<readonly Found[]> {
  const texts = decoded(source, encoded.encoding);
  let [rest, line, passed] = ['', 1, 0];
  for await (const text of texts) {
    rest += text;
    if (text.includes('"') || rest.length > longestRow) {
      const quoted = quotedRecords(source, encoded, { dialect, line, passed, texts: following(rest, texts) });
      for await (const found of quoted) yield [found];
      return;
    }
    const end = endOfLines(rest);
    const batch: Found[] = [];
    for (const raw of linesOf(rest.slice(0, end))) {
      const found = recordIn(raw, line, dialect);
      if (found) batch.push(found);
      line++;
    }
    if (batch.length > 0) yield batch;
    passed += end;
    rest = rest.slice(end);
  }
  const last = rest === '' ? undefined : recordIn(rest.replace(/\r$/, ''), line, dialect);
  if (last) yield [last];
}

/** Behind the last end of a line. One that may be the first half of two characters is none yet. */
function endOfLines(text: string): number {
  const closed = text.endsWith('\r') ? text.slice(0, -1) : text;
  return Math.max(closed.lastIndexOf('\n'), closed.lastIndexOf('\r')) + 1;
}

function linesOf(text: string): string[] {
  const lines = text.includes('\r') ? text.split(/\r\n|\n|\r/) : text.split('\n');
  lines.pop();
  return lines;
}

/** Undefined for an empty line, and for one that names the separator, as some spreadsheets begin. */
function recordIn(raw: string, line: number, { delimiter }: Dialect): Found | undefined {
  if (raw === '' || (line === 1 && isHint(raw))) return undefined;
  return { record: raw.split(delimiter), raw, line };
}

function isHint(raw: string): boolean {
  return /^"?sep=.?"?$/i.test(raw);
}

async function* following(first: string, texts: AsyncGenerator<string>): AsyncGenerator<string> {
  yield first;
  yield* texts;
}

interface Quoted {
  dialect: Dialect;
  /** From where on: the text, the line in which it begins, and the characters before it. */
  texts: AsyncIterable<string>;
  line: number;
  passed: number;
}

async function* quotedRecords(
  source: Source,
  encoded: Encoded,
  { dialect, texts, line: first, passed }: Quoted,
): AsyncGenerator<Found> {
  const parser = parse({
    delimiter: dialect.delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: longestRow,
    info: true,
    raw: true,
  });
  let line = first;
  const feeding = feed(texts, parser);
  try {
    for await (const { record, raw } of parser as AsyncIterable<{ record: string[]; raw: string }>) {
      const text = raw.replace(/[\r\n]+$/, '');
      if (!(line === 1 && isHint(text)) && (record.length > 1 || record[0] !== ''))
        yield { record, raw: text, line };
      line += breaksIn(text) + 1;
    }
  } catch (error) {
    throw error instanceof CsvError
      ? asFailure(source, error, await lineOf(error, source, encoded, passed))
      : error;
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
async function lineOf(
  error: CsvError,
  source: Source,
  { encoding }: Encoded,
  passed: number,
): Promise<number> {
  const before = 'bytes' in error ? Number(error.bytes) : 0;
  let [line, bytes, left] = [1, 0, passed];
  for await (const part of decoded(source, encoding)) {
    line += breaksIn(part.slice(0, left));
    const rest = part.slice(left);
    left = Math.max(0, left - part.length);
    const text = Buffer.from(rest)
      .subarray(0, before - bytes)
      .toString();
    line += breaksIn(text);
    bytes += Buffer.byteLength(rest);
    if (bytes >= before) break;
  }
  return line;
}

function asFailure({ called }: Source, { code, message }: CsvError, line: number) {
  switch (code) {
    case 'CSV_MAX_RECORD_SIZE':
      return usage(
        `${called}: the row at line ${line} has more than ${longestRow.toLocaleString('en-US')} characters.`,
        {
          hint: 'A row of that length is mostly a quote that opens in it and is not closed: within quotes, two of them stand for one.',
        },
      );
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
