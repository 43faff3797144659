/** Splits the text of a CSV file into records: the one place that knows quotes, separators and line breaks. */

export interface CsvSyntax {
  /** One character, or two where a blank follows each separator. */
  delimiter: string;
  /** Encloses cells, and is doubled within them. */
  quote: string;
}

export interface CsvRecord {
  cells: string[];
  /** As it stands in the file, without the line break at its end. */
  raw: string;
  /** The line that it begins in; the first one is 1. */
  line: number;
  /** How many lines it takes: more than one where a quoted cell holds line breaks. */
  lines: number;
  /** What is wrong with its quotes, the end of a sentence; its cells are then split as well as they can be. */
  problem?: string;
}

/** A record that is longer is none: somewhere a quote is not closed. In characters. */
export const longestRecord = 1_000_000;

/** Cells as far as they follow the rules, or where they stop to do so: in an open quote, or at a character. */
type CellsFound = { cells: string[]; end: number } | { isOpen: true } | { wrongAt: number };

/**
 * Takes the text of a file in pieces of any size. A record with wrong quotes is answered as such, and the next one
 * begins behind it, so that one lone quote spoils no more than its row.
 */
export class CsvSplitter {
  readonly #syntax: CsvSyntax;
  readonly #width: number | undefined;
  #text = '';
  #at = 0;
  #line = 1;

  /** `width`: how many cells a record has where that is known; it tells rows from lines within a quoted cell. */
  constructor(syntax: CsvSyntax, width?: number) {
    this.#syntax = syntax;
    this.#width = width;
  }

  /** The records that end in what has come so far; the last text `isEnd`. Throws `RecordTooLong`. */
  *split(text: string, isEnd: boolean): Generator<CsvRecord> {
    this.#text = this.#text.slice(this.#at) + text;
    this.#at = 0;
    while (this.#at < this.#text.length) {
      const record = this.#next(isEnd);
      if (!record) break;
      this.#line += record.lines;
      if (record.raw !== '' && !isHint(record)) yield record;
    }
    if (!isEnd && lineEnd(this.#text, this.#at) - this.#at > longestRecord)
      throw new RecordTooLong(this.#line);
  }

  #next(isEnd: boolean): CsvRecord | undefined {
    const text = this.#text;
    const end = lineEnd(text, this.#at);
    if (!isEnd && !isWholeBreak(text, end)) return undefined;
    if (end - this.#at > longestRecord) throw new RecordTooLong(this.#line);
    const raw = text.slice(this.#at, end);
    if (!raw.includes(this.#syntax.quote)) return this.#record(raw.split(this.#syntax.delimiter), end, 1);
    const found = cellsAt(text, this.#at, this.#syntax);
    if ('cells' in found) {
      if (!isEnd && !isWholeBreak(text, found.end)) return this.#waitOrLeave(end);
      return this.#record(found.cells, found.end, linesIn(text, this.#at, found.end));
    }
    if ('isOpen' in found) return isEnd ? this.#leave(end, notClosed) : this.#waitOrLeave(end);
    const wrongEnd = lineEnd(text, found.wrongAt);
    if (!isEnd && !isWholeBreak(text, wrongEnd)) return this.#waitOrLeave(end);
    return this.#leave(wrongEnd > end && this.#isRows(end, wrongEnd) ? end : wrongEnd, misplaced);
  }

  /** More of the text may close the quote, unless it was open for too long already. */
  #waitOrLeave(end: number): CsvRecord | undefined {
    return this.#text.length - this.#at > longestRecord ? this.#leave(end, notClosed) : undefined;
  }

  #record(cells: string[], end: number, lines: number): CsvRecord {
    const record = { cells, raw: this.#text.slice(this.#at, end), line: this.#line, lines };
    this.#at = end + breakLength(this.#text, end);
    return record;
  }

  #leave(end: number, problem: string): CsvRecord {
    const cells = cellsIn(this.#text.slice(this.#at, end), this.#syntax);
    return { ...this.#record(cells, end, linesIn(this.#text, this.#at, end)), problem };
  }

  /** Whether each line behind the first one is a sound row: then the quote that spans them is a lone one in the first. */
  #isRows(from: number, to: number): boolean {
    const text = this.#text;
    for (let at = from + breakLength(text, from); at <= to; ) {
      const end = lineEnd(text, at);
      const found = cellsAt(text.slice(at, end), 0, this.#syntax);
      if (!('cells' in found) || found.cells.length !== this.#width) return false;
      at = end + Math.max(1, breakLength(text, end));
    }
    return true;
  }
}

/** A line without an end is no row, nor is a table made of it. */
export class RecordTooLong extends Error {
  readonly line: number;

  constructor(line: number) {
    super(`The row at line ${line} has more than ${longestRecord} characters.`);
    this.line = line;
  }
}

const notClosed = 'opens a quote that is not closed: within quotes, two of them stand for one ("12"" pizza")';
const misplaced =
  'has a quote in the middle of a cell: such a cell stands in quotes, and within them two stand for one ("12"" pizza")';

/** All of `raw` as one record: a cell whose quotes are wrong is taken as it stands. */
export function cellsIn(raw: string, syntax: CsvSyntax): string[] {
  const found = cellsAt(raw, 0, syntax);
  if ('cells' in found && found.end === raw.length) return found.cells;
  const cells: string[] = [];
  for (let at = 0; ; ) {
    const quoted = raw.startsWith(syntax.quote, at) ? quotedCell(raw, at, syntax) : undefined;
    const isSound = quoted && (quoted.end === raw.length || raw.startsWith(syntax.delimiter, quoted.end));
    const next = raw.indexOf(syntax.delimiter, at);
    const end = isSound ? quoted.end : next === -1 ? raw.length : next;
    cells.push(isSound ? quoted.cell : raw.slice(at, end));
    if (end === raw.length) return cells;
    at = end + syntax.delimiter.length;
  }
}

function cellsAt(text: string, from: number, syntax: CsvSyntax): CellsFound {
  const { delimiter, quote } = syntax;
  const cells: string[] = [];
  for (let at = from; ; at += delimiter.length) {
    if (text.startsWith(quote, at)) {
      const quoted = quotedCell(text, at, syntax);
      if (!quoted) return { isOpen: true };
      cells.push(quoted.cell);
      at = quoted.end;
      if (at < text.length && !isBreak(text, at) && !text.startsWith(delimiter, at)) return { wrongAt: at };
    } else {
      const next = text.indexOf(delimiter, at);
      const end = lineEnd(text, at);
      const cell = text.slice(at, next === -1 || next > end ? end : next);
      // An apostrophe is a letter of many words; a double quote within a cell mostly opens or closes one.
      if (quote === '"' && cell.includes(quote)) return { wrongAt: at };
      cells.push(cell);
      at += cell.length;
    }
    if (at >= text.length || isBreak(text, at)) return { cells, end: at };
  }
}

/** The cell whose quote opens at `from`, and where it ends; undefined where it isn't closed. */
function quotedCell(
  text: string,
  from: number,
  { quote }: CsvSyntax,
): { cell: string; end: number } | undefined {
  let at = text.indexOf(quote, from + 1);
  while (at !== -1 && text[at + 1] === quote) at = text.indexOf(quote, at + 2);
  if (at === -1) return undefined;
  return { cell: text.slice(from + 1, at).replaceAll(quote + quote, quote), end: at + 1 };
}

/** The separator that the first line names, as some spreadsheets begin: `sep=;`. */
export function hintedDelimiter(raw: string): string | undefined {
  return /^"?sep=(.?)"?$/i.exec(raw)?.[1];
}

function isHint({ raw, line }: CsvRecord): boolean {
  return line === 1 && hintedDelimiter(raw) !== undefined;
}

const [lineFeed, carriageReturn] = [10, 13];

function isBreak(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === lineFeed || code === carriageReturn;
}

/** Where the line that `from` stands in ends: at its break, or at the end of the text. */
function lineEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && !isBreak(text, at)) at++;
  return at;
}

function breakLength(text: string, at: number): number {
  if (at >= text.length) return 0;
  return text.charCodeAt(at) === carriageReturn && text.charCodeAt(at + 1) === lineFeed ? 2 : 1;
}

/** Whether the break at `at` is there, and is not the first half of one that comes in two pieces. */
function isWholeBreak(text: string, at: number): boolean {
  return at < text.length && (text.charCodeAt(at) === lineFeed || at + 1 < text.length);
}

function linesIn(text: string, from: number, to: number): number {
  let count = 1;
  for (let at = lineEnd(text, from); at < to; at = lineEnd(text, at + breakLength(text, at))) count++;
  return count;
}

/** The text of a record with these cells, without a line break at its end: `cellsIn` gives them back. */
export function rowText(cells: readonly string[], { delimiter, quote }: CsvSyntax): string {
  const separator = delimiter[0] ?? '';
  const needsQuotes = (cell: string) =>
    cell.includes(separator) || cell.includes(quote) || /[\r\n]/.test(cell);
  return cells
    .map((cell) => (needsQuotes(cell) ? quote + cell.replaceAll(quote, quote + quote) + quote : cell))
    .join(delimiter);
}
