/** Detects the dialect of a CSV file from its beginning: separator, quotes and header line. Flags override it. */
import { usage } from '../base/errors.ts';
import { plainName } from './columns/columns.ts';
import { type CsvRecord, CsvSplitter, type CsvSyntax, hintedDelimiter } from './csv-splitter.ts';
import { headerAmong, maxHeaderRows } from './header-below.ts';

/** The dialect of a CSV file. */
export interface Dialect extends CsvSyntax {
  /** The line break of the first line. */
  lineBreak: '\n' | '\r\n' | '\r';
}

/** A detected dialect. */
export interface DialectFound {
  dialect: Dialect;
  /** The line of the header; undefined if there is no row. */
  headerLine: number | undefined;
  /** Whether there are rows above the header. */
  hasTitle: boolean;
}

/** The flags and hints for detection. */
export interface DialectOptions {
  /** Plain names of columns that identify a header. */
  known: ReadonlySet<string>;
  /** The value of --delimiter. */
  delimiter?: string | undefined;
  quote?: string | undefined;
}

/** Possible separators. The first of those that fit best is used. */
const delimiters = [',', ';', '\t', '|', ', ', '; ', '| '];

/** Detects the dialect from the beginning of a text. `isWhole` is true if that is all. Throws a usage failure for wrong flags. */
export function dialectOf(
  beginning: string,
  isWhole: boolean,
  { known, delimiter, quote }: DialectOptions,
): DialectFound {
  const [first = ''] = beginning.split(/[\r\n]/, 1);
  const hinted = hintedDelimiter(first);
  const among = delimiter === undefined ? (hinted ? [hinted] : delimiters) : [delimiterNamed(delimiter)];
  const readBy = (mark: string) =>
    among
      .map((each) => reading(beginning, isWhole, { delimiter: each, quote: mark }, known))
      .reduce((best, next) => (next.score > best.score ? next : best));
  // Apostrophes are part of many words: they are quotes only if more column names are known without them.
  const plain = readBy(quote === undefined ? '"' : quoteNamed(quote));
  const other = quote === undefined ? readBy("'") : plain;
  const best = other.recognized > plain.recognized ? other : plain;
  const { syntax, headerLine, hasTitle } = best;
  return { dialect: { ...syntax, lineBreak: lineBreakOf(beginning) }, headerLine, hasTitle };
}

const namedDelimiters: Readonly<Record<string, string>> = {
  comma: ',',
  semicolon: ';',
  tab: '\t',
  pipe: '|',
};

/** The words that `--delimiter` takes, also the character itself. */
export const delimiterNames = Object.keys(namedDelimiters);

function delimiterNamed(name: string): string {
  const delimiter = namedDelimiters[name === '\\t' ? 'tab' : name] ?? name;
  if (delimiter.length === 1 && !/["\r\n]/.test(delimiter)) return delimiter;
  throw usage('--delimiter takes one character, or comma, semicolon, tab or pipe.');
}

const namedQuotes: Readonly<Record<string, string>> = { double: '"', single: "'" };

/** The words that `--quote` takes, also the character itself. */
export const quoteNames = Object.keys(namedQuotes);

function quoteNamed(name: string): string {
  const quote = namedQuotes[name] ?? name;
  if (quote === '"' || quote === "'") return quote;
  throw usage('--quote must be double or single.');
}

interface Reading {
  syntax: CsvSyntax;
  headerLine: number | undefined;
  hasTitle: boolean;
  /** The number of known names in the header. */
  recognized: number;
  score: number;
}

/** Records below the header that are compared. */
const sampledRows = 20;

function reading(
  beginning: string,
  isWhole: boolean,
  syntax: CsvSyntax,
  known: ReadonlySet<string>,
): Reading {
  const records = sample(beginning, isWhole, syntax);
  const at = headerAmong(
    records.slice(0, maxHeaderRows).map(({ cells }) => cells),
    known,
  );
  const header = records[at];
  const isQuoted =
    syntax.quote === '"' || header?.raw.split(syntax.delimiter).some((cell) => cell.startsWith(syntax.quote));
  const names = header && header.problem === undefined && isQuoted ? header.cells : [];
  const recognized = names.filter((name) => known.has(plainName(name))).length;
  const similar = records
    .slice(at, at + sampledRows)
    .filter(({ cells, problem }) => problem === undefined && cells.length === names.length).length;
  const score = recognized * 1_000_000 + (names.length > 1 ? similar * 10 + Math.min(names.length, 9) : 0);
  return { syntax, headerLine: header?.line, hasTitle: at > 0, recognized, score };
}

function sample(text: string, isWhole: boolean, syntax: CsvSyntax): CsvRecord[] {
  const firstRecords = (isEnd: boolean) =>
    new CsvSplitter(syntax)
      .split(text, isEnd)
      .take(maxHeaderRows + sampledRows)
      .toArray();
  const records = firstRecords(isWhole);
  return records.length === 0 ? firstRecords(true) : records;
}

function lineBreakOf(text: string): Dialect['lineBreak'] {
  const found = /\r\n|\n|\r/.exec(text)?.[0];
  return found === '\r\n' || found === '\r' ? found : '\n';
}
