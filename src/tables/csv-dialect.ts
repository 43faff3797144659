/** How a CSV file is written: its separator, its quotes and the line of its header, found out from its beginning or as flags say. */
import { usage } from '../base/errors.ts';
import { plainName } from './columns/columns.ts';
import { type CsvRecord, CsvSplitter, type CsvSyntax, hintedDelimiter } from './csv-splitter.ts';
import { headerAmong, rowsLookedAt } from './header-below.ts';

export interface Dialect extends CsvSyntax {
  /** How lines end, as far as the first of them tells. */
  lineBreak: '\n' | '\r\n' | '\r';
}

export interface DialectFound {
  dialect: Dialect;
  /** The line of the header; undefined where there is no row. */
  headerLine: number | undefined;
  /** Whether rows stand above the header. */
  hasTitle: boolean;
}

export interface DialectOptions {
  /** Names of columns that may stand in a header, plainly written. */
  known: ReadonlySet<string>;
  /** As flags say. */
  delimiter?: string | undefined;
  quote?: string | undefined;
}

/** What may separate cells. The first one that fits as well as the others is taken. */
const delimiters = [',', ';', '\t', '|', ', ', '; ', '| '];

/** `beginning` is as much of the text as is at hand; `isWhole`: there is no more. Throws a usage failure for wrong flags. */
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
  // Apostrophes are letters of many words: only a header of which more is known without them tells that they are quotes.
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
  '\\t': '\t',
};

function delimiterNamed(said: string): string {
  const delimiter = namedDelimiters[said] ?? said;
  if (delimiter.length === 1 && !/["\r\n]/.test(delimiter)) return delimiter;
  throw usage('--delimiter takes one character, or comma, semicolon, tab or pipe.');
}

const namedQuotes: Readonly<Record<string, string>> = { double: '"', single: "'" };

function quoteNamed(said: string): string {
  const quote = namedQuotes[said] ?? said;
  if (quote === '"' || quote === "'") return quote;
  throw usage('--quote must be double or single.');
}

interface Reading {
  syntax: CsvSyntax;
  headerLine: number | undefined;
  hasTitle: boolean;
  /** How many names of the header are known. */
  recognized: number;
  score: number;
}

/** Records that are looked at below the header. */
const sampledRows = 20;

function reading(
  beginning: string,
  isWhole: boolean,
  syntax: CsvSyntax,
  known: ReadonlySet<string>,
): Reading {
  const records = sample(beginning, isWhole, syntax);
  const at = headerAmong(
    records.slice(0, rowsLookedAt).map(({ cells }) => cells),
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
  const few = (isEnd: boolean) =>
    new CsvSplitter(syntax)
      .split(text, isEnd)
      .take(rowsLookedAt + sampledRows)
      .toArray();
  const records = few(isWhole);
  return records.length === 0 ? few(true) : records;
}

function lineBreakOf(text: string): Dialect['lineBreak'] {
  const found = /\r\n|\n|\r/.exec(text)?.[0];
  return found === '\r\n' || found === '\r' ? found : '\n';
}
