/** Splits the text of a CSV file into records. Only this file handles quotes, separators and line breaks. */

/** The separator and quote of a CSV file. */
export interface CsvSyntax {
  /** One character, or two if a space follows each separator. */
  delimiter: string;
  /** The quote around cells, written twice within them. */
  quote: string;
}

/** One record of a CSV file. */
export interface CsvRecord {
  cells: string[];
  /** The text in the file, without the final line break. */
  raw: string;
  /** The first line of the record, counted from 1. */
  line: number;
  /** The number of lines: more than one if a quoted cell has line breaks. */
  lines: number;
  /** What is wrong with the quotes, as the end of a sentence; the cells are then split as well as possible. */
  problem?: string;
}

/** Characters of a record at most: a longer one has a quote that is not closed. */
export const maxRecordLength = 1_000_000;

/** The cells of a record, or where they break the rules: in an open quote, or at a character. */
type CellsFound = { cells: string[]; end: number } | { isOpen: true } | { wrongAt: number };

/**
 * Splits the text of a file, given in pieces of any size. A record with wrong quotes has a problem, and the next one starts
 * after it, so that a single quote affects only its row.
 */
export class CsvSplitter {
  readonly #syntax: CsvSyntax;
  readonly #width: number | undefined;
  #text = '';
  #at = 0;
  #line = 1;

  /** `width` is the number of cells in a record, if known. It distinguishes rows from lines within a quoted cell. */
  constructor(syntax: CsvSyntax, width?: number) {
    this.#syntax = syntax;
    this.#width = width;
  }

  /** Returns the records that are complete with this text. `isEnd` is true for the last text. Throws `RecordTooLong`. */
  *split(text: string, isEnd: boolean): Generator<CsvRecord> {
    this.#text = this.#text.slice(this.#at) + text;
    this.#at = 0;
    while (this.#at < this.#text.length) {
      const record = this.#next(isEnd);
      if (!record) break;
      this.#line += record.lines;
      if (record.raw !== '' && !isHint(record)) yield record;
    }
    if (!isEnd && lineEnd(this.#text, this.#at) - this.#at > maxRecordLength)
      throw new RecordTooLong(this.#line);
  }

  #next(isEnd: boolean): CsvRecord | undefined {
    const text = this.#text;
    const end = lineEnd(text, this.#at);
    if (!isEnd && !isWholeBreak(text, end)) return undefined;
    if (end - this.#at > maxRecordLength) throw new RecordTooLong(this.#line);
    const raw = text.slice(this.#at, end);
    if (!raw.includes(this.#syntax.quote)) return this.#record(raw.split(this.#syntax.delimiter), end, 1);
    const found = cellsAt(text, this.#at, this.#syntax);
    if ('cells' in found) {
      if (!isEnd && !isWholeBreak(text, found.end)) return this.#waitOrEnd(end);
      return this.#record(found.cells, found.end, linesIn(text, this.#at, found.end));
    }
    if ('isOpen' in found) return isEnd ? this.#endWithProblem(end, notClosed) : this.#waitOrEnd(end);
    const wrongEnd = lineEnd(text, found.wrongAt);
    if (!isEnd && !isWholeBreak(text, wrongEnd)) return this.#waitOrEnd(end);
    return this.#endWithProblem(wrongEnd > end && this.#isRows(end, wrongEnd) ? end : wrongEnd, misplaced);
  }

  /** Waits for more text, which may close the quote, unless it is open for too long. */
  #waitOrEnd(end: number): CsvRecord | undefined {
    return this.#text.length - this.#at > maxRecordLength ? this.#endWithProblem(end, notClosed) : undefined;
  }

  #record(cells: string[], end: number, lines: number): CsvRecord {
    const record = { cells, raw: this.#text.slice(this.#at, end), line: this.#line, lines };
    this.#at = end + breakLength(this.#text, end);
    return record;
  }

  #endWithProblem(end: number, problem: string): CsvRecord {
    const cells = cellsIn(this.#text.slice(this.#at, end), this.#syntax);
    return { ...this.#record(cells, end, linesIn(this.#text, this.#at, end)), problem };
  }

  /** Returns whether each line after the first is a valid row: the quote that spans them is then a single one in the first. */
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

/** Thrown for a record that is too long to be one. */
export class RecordTooLong extends Error {
  readonly line: number;

  constructor(line: number) {
    super(`The row at line ${line} has more than ${maxRecordLength} characters.`);
    this.line = line;
  }
}

const notClosed = 'has a quote that is not closed: within quotes, write a quote twice ("12"" pizza")';
const misplaced =
  'has a quote in the middle of a cell: put the cell in quotes and write the quote twice ("12"" pizza")';

/** Splits `raw` as one record. A cell with wrong quotes is kept unchanged. */
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
      // An apostrophe is part of many words, but a double quote within a cell is usually a mistake.
      if (quote === '"' && cell.includes(quote)) return { wrongAt: at };
      cells.push(cell);
      at += cell.length;
    }
    if (at >= text.length || isBreak(text, at)) return { cells, end: at };
  }
}

/** Returns the cell whose quote opens at `from`, and its end; undefined if it isn't closed. */
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

/** Returns the separator that the first line of some spreadsheets names: `sep=;`. */
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

/** Returns the end of the line at `from`: its line break, or the end of the text. */
function lineEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && !isBreak(text, at)) at++;
  return at;
}

function breakLength(text: string, at: number): number {
  if (at >= text.length) return 0;
  return text.charCodeAt(at) === carriageReturn && text.charCodeAt(at + 1) === lineFeed ? 2 : 1;
}

/** Returns whether there is a complete line break at `at`: CR LF may come in two pieces. */
function isWholeBreak(text: string, at: number): boolean {
  return at < text.length && (text.charCodeAt(at) === lineFeed || at + 1 < text.length);
}

function linesIn(text: string, from: number, to: number): number {
  let count = 1;
  for (let at = lineEnd(text, from); at < to; at = lineEnd(text, at + breakLength(text, at))) count++;
  return count;
}

/** Returns the text of a record without a final line break. `cellsIn` returns the same cells. */
export function rowText(cells: readonly string[], { delimiter, quote }: CsvSyntax): string {
  const separator = delimiter[0] ?? '';
  const needsQuotes = (cell: string) =>
    cell.includes(separator) || cell.includes(quote) || /[\r\n]/.test(cell);
  return cells
    .map((cell) => (needsQuotes(cell) ? quote + cell.replaceAll(quote, quote + quote) + quote : cell))
    .join(delimiter);
}
