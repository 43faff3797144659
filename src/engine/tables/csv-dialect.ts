/** Detects the dialect of a CSV file from its beginning: separator, quotes and header line. Flags override the result. */
import { usage } from '../../base/errors.ts';
import { normalizeColumnName } from './columns/columns.ts';
import { type CsvRecord, CsvSplitter, type CsvSyntax, parseDelimiterHint } from './csv-splitter.ts';
import {
  findHeaderIndex,
  firstHeaderRow,
  type HeaderOptions,
  maxHeaderRows,
  type NumberedRow,
} from './find-header.ts';

export interface Dialect extends CsvSyntax {
  lineBreak: '\n' | '\r\n' | '\r';
}

export interface DetectedDialect {
  dialect: Dialect;
  rows: readonly (NumberedRow & CsvRecord)[];
  /** The index of the header in these rows; undefined if none fits. */
  headerIndex: number | undefined;
}

/** The flags and hints for detection. */
export interface DialectOptions extends HeaderOptions {
  delimiter?: string | undefined;
  quote?: string | undefined;
}

/** The possible separators. If several fit equally well, the first is used. */
const delimiters = [',', ';', '\t', '|', ', ', '; ', '| '];

/**
 * Detects the dialect from the beginning of a file. `isWhole` is true if this is the whole file. Throws a usage failure for
 * invalid flags.
 */
export function detectDialect(beginning: string, isWhole: boolean, options: DialectOptions): DetectedDialect {
  const { delimiter, quote } = options;
  const [first = ''] = beginning.split(/[\r\n]/, 1);
  const hinted = parseDelimiterHint(first);
  const candidates = delimiter === undefined ? (hinted ? [hinted] : delimiters) : [parseDelimiter(delimiter)];
  const bestWithQuote = (quoteCharacter: string) =>
    candidates
      .map((candidate) =>
        tryDialect(beginning, isWhole, { delimiter: candidate, quote: quoteCharacter }, options),
      )
      .reduce((best, next) => (next.score > best.score ? next : best));
  // Apostrophes are part of many words. They are quotes only if more column names are then recognized.
  const preferred = bestWithQuote(quote === undefined ? '"' : parseQuote(quote));
  const alternative = quote === undefined ? bestWithQuote("'") : preferred;
  const best = alternative.recognizedCount > preferred.recognizedCount ? alternative : preferred;
  const { syntax, rows, headerIndex } = best;
  return { dialect: { ...syntax, lineBreak: lineBreakOf(beginning) }, rows, headerIndex };
}

const namedDelimiters: Readonly<Record<string, string>> = {
  comma: ',',
  semicolon: ';',
  tab: '\t',
  pipe: '|',
};

/** The names that `--delimiter` accepts. It also accepts the character. */
export const delimiterNames = Object.keys(namedDelimiters);

function parseDelimiter(name: string): string {
  const delimiter = namedDelimiters[name === '\\t' ? 'tab' : name] ?? name;
  if (delimiter.length === 1 && !/["\r\n]/.test(delimiter)) return delimiter;
  throw usage('--delimiter must be one character, or comma, semicolon, tab or pipe.');
}

const namedQuotes: Readonly<Record<string, string>> = { double: '"', single: "'" };

/** The names that `--quote` accepts. It also accepts the character. */
export const quoteNames = Object.keys(namedQuotes);

function parseQuote(name: string): string {
  const quote = namedQuotes[name] ?? name;
  if (quote === '"' || quote === "'") return quote;
  throw usage('--quote must be double or single.');
}

/** A possible syntax, with a score for how well it fits. */
interface Candidate extends Omit<DetectedDialect, 'dialect'> {
  syntax: CsvSyntax;
  /** The number of names in the header that are column names of the resource. */
  recognizedCount: number;
  score: number;
}

/** The number of records, starting with the header, whose numbers of cells are compared. */
const sampledRows = 20;

function tryDialect(
  beginning: string,
  isWhole: boolean,
  syntax: CsvSyntax,
  options: DialectOptions,
): Candidate {
  const rows = sampleRows(beginning, isWhole, syntax, firstHeaderRow(options));
  const headerIndex = findHeaderIndex(rows.slice(0, maxHeaderRows), options);
  const firstIndex = headerIndex ?? 0;
  const header = rows[firstIndex];
  const isQuoted =
    syntax.quote === '"' || header?.raw.split(syntax.delimiter).some((cell) => cell.startsWith(syntax.quote));
  const names = header && header.problem === undefined && isQuoted ? header.cells : [];
  const recognizedCount = names.filter((name) => options.headerNames.has(normalizeColumnName(name))).length;
  const sameWidthCount = rows
    .slice(firstIndex, firstIndex + sampledRows)
    .filter(({ cells, problem }) => problem === undefined && cells.length === names.length).length;
  const score =
    recognizedCount * 1_000_000 + (names.length > 1 ? sameWidthCount * 10 + Math.min(names.length, 9) : 0);
  return { syntax, rows, headerIndex, recognizedCount, score };
}

function sampleRows(text: string, isWhole: boolean, syntax: CsvSyntax, firstRow: number) {
  const firstRows = (isEnd: boolean) => {
    // A record of several lines is one row in a spreadsheet.
    let extraLines = 0;
    return new CsvSplitter(syntax)
      .split(text, isEnd)
      .map((record) => {
        const row = record.line - extraLines;
        extraLines += record.lines - 1;
        return { ...record, row };
      })
      .filter(({ row }) => row >= firstRow)
      .take(maxHeaderRows + sampledRows)
      .toArray();
  };
  const rows = firstRows(isWhole);
  return rows.length === 0 ? firstRows(true) : rows;
}

function lineBreakOf(text: string): Dialect['lineBreak'] {
  const lineBreak = /\r\n|\n|\r/.exec(text)?.[0];
  return lineBreak === '\r\n' || lineBreak === '\r' ? lineBreak : '\n';
}
