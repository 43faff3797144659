/** Splits a CSV file into records. Only this file handles quotes, separators and line breaks of CSV. */

/** The separator and quote of a CSV file. */
export interface CsvSyntax {
  /** One character, or two if a space follows each separator. */
  delimiter: string;
  /** The quote around cells, written twice within them. */
  quote: string;
}

export interface CsvRecord {
  cells: string[];
  /** The record as it is in the file, without the final line break. */
  raw: string;
  /** The first line of the record, counted from 1. */
  line: number;
  /** The number of lines: more than one if a quoted cell has line breaks. */
  lines: number;
  /** The problem of the quotes, as the end of a sentence. The cells are then approximate. */
  problem?: string;
}

/** The maximum number of characters in a record. A longer record probably has a quote that isn't closed. */
export const maxRecordCharacters = 1_000_000;

/** The cells of a record, or the reason why it is invalid: an open quote, or an invalid character at an index. */
type CellsResult = { cells: string[]; end: number } | { isOpen: true } | { invalidAt: number };

/**
 * Splits a file that is passed in chunks of any size. A record with invalid quotes has a problem, and the next record
 * starts on the next line, so that a stray quote affects only its row.
 */
export class CsvSplitter {
  readonly #syntax: CsvSyntax;
  readonly #width: number | undefined;
  #text = '';
  #position = 0;
  #line = 1;

  /** `width` is the number of cells in a record, if known. It distinguishes rows from lines within a quoted cell. */
  constructor(syntax: CsvSyntax, width?: number) {
    this.#syntax = syntax;
    this.#width = width;
  }

  /** Adds a chunk, and yields the records that are now complete. `isEnd` is true for the last chunk. Throws `RecordTooLong`. */
  *split(text: string, isEnd: boolean): Generator<CsvRecord> {
    this.#text = this.#text.slice(this.#position) + text;
    this.#position = 0;
    while (this.#position < this.#text.length) {
      const record = this.#nextRecord(isEnd);
      if (!record) break;
      this.#line += record.lines;
      if (record.raw !== '' && !isSeparatorHint(record)) yield record;
    }
    if (!isEnd && lineEnd(this.#text, this.#position) - this.#position > maxRecordCharacters)
      throw new RecordTooLong(this.#line);
  }

  #nextRecord(isEnd: boolean): CsvRecord | undefined {
    const text = this.#text;
    const end = lineEnd(text, this.#position);
    if (!isEnd && !isCompleteBreak(text, end)) return undefined;
    if (end - this.#position > maxRecordCharacters) throw new RecordTooLong(this.#line);
    const raw = text.slice(this.#position, end);
    if (!raw.includes(this.#syntax.quote)) return this.#record(raw.split(this.#syntax.delimiter), end, 1);
    const result = readCellsAt(text, this.#position, this.#syntax);
    if ('cells' in result) {
      if (!isEnd && !isCompleteBreak(text, result.end)) return this.#waitOrEnd(end);
      return this.#record(result.cells, result.end, countLines(text, this.#position, result.end));
    }
    if ('isOpen' in result) return isEnd ? this.#endWithProblem(end, unclosedQuote) : this.#waitOrEnd(end);
    const invalidEnd = lineEnd(text, result.invalidAt);
    if (!isEnd && !isCompleteBreak(text, invalidEnd)) return this.#waitOrEnd(end);
    return this.#endWithProblem(
      invalidEnd > end && this.#areRows(end, invalidEnd) ? end : invalidEnd,
      misplacedQuote,
    );
  }

  /** Returns undefined to wait for more text, which may close the quote. A quote that is open for too long is a problem. */
  #waitOrEnd(end: number): CsvRecord | undefined {
    return this.#text.length - this.#position > maxRecordCharacters
      ? this.#endWithProblem(end, unclosedQuote)
      : undefined;
  }

  #record(cells: string[], end: number, lines: number): CsvRecord {
    const record = { cells, raw: this.#text.slice(this.#position, end), line: this.#line, lines };
    this.#position = end + breakLength(this.#text, end);
    return record;
  }

  #endWithProblem(end: number, problem: string): CsvRecord {
    const cells = splitRecord(this.#text.slice(this.#position, end), this.#syntax);
    return { ...this.#record(cells, end, countLines(this.#text, this.#position, end)), problem };
  }

  /** Returns whether each line after the first is a valid row. In that case the first line has a stray quote. */
  #areRows(from: number, to: number): boolean {
    const text = this.#text;
    for (let index = from + breakLength(text, from); index <= to; ) {
      const end = lineEnd(text, index);
      const result = readCellsAt(text.slice(index, end), 0, this.#syntax);
      if (!('cells' in result) || result.cells.length !== this.#width) return false;
      index = end + Math.max(1, breakLength(text, end));
    }
    return true;
  }
}

/** Thrown for a record that is longer than `maxRecordCharacters`. */
export class RecordTooLong extends Error {
  readonly line: number;

  constructor(line: number) {
    super(`The row at line ${line} has more than ${maxRecordCharacters} characters.`);
    this.line = line;
  }
}

const unclosedQuote = 'has a quote that is not closed: within quotes, write a quote twice ("12"" pizza")';
const misplacedQuote =
  'has a quote in the middle of a cell: put the cell in quotes and write the quote twice ("12"" pizza")';

/** Splits `raw` as one record. A cell with invalid quotes is returned unchanged. */
export function splitRecord(raw: string, syntax: CsvSyntax): string[] {
  const result = readCellsAt(raw, 0, syntax);
  if ('cells' in result && result.end === raw.length) return result.cells;
  const cells: string[] = [];
  for (let index = 0; ; ) {
    const quoted = raw.startsWith(syntax.quote, index) ? readQuotedCell(raw, index, syntax) : undefined;
    const isValid = quoted && (quoted.end === raw.length || raw.startsWith(syntax.delimiter, quoted.end));
    const next = raw.indexOf(syntax.delimiter, index);
    const end = isValid ? quoted.end : next === -1 ? raw.length : next;
    cells.push(isValid ? quoted.cell : raw.slice(index, end));
    if (end === raw.length) return cells;
    index = end + syntax.delimiter.length;
  }
}

function readCellsAt(text: string, from: number, syntax: CsvSyntax): CellsResult {
  const { delimiter, quote } = syntax;
  const cells: string[] = [];
  for (let index = from; ; index += delimiter.length) {
    // Spreadsheets keep text as a formula: ="00123".
    const start = quote === '"' && text.startsWith('="', index) ? index + 1 : index;
    if (text.startsWith(quote, start)) {
      const quoted = readQuotedCell(text, start, syntax);
      if (!quoted) return { isOpen: true };
      cells.push(start === index ? quoted.cell : text.slice(index, quoted.end));
      index = quoted.end;
      if (index < text.length && !isBreak(text, index) && !text.startsWith(delimiter, index))
        return { invalidAt: index };
    } else {
      const next = text.indexOf(delimiter, index);
      const end = lineEnd(text, index);
      const cell = text.slice(index, next === -1 || next > end ? end : next);
      // An apostrophe is part of many words, but a double quote within a cell is usually a mistake.
      if (quote === '"' && cell.includes(quote)) return { invalidAt: index };
      cells.push(cell);
      index += cell.length;
    }
    if (index >= text.length || isBreak(text, index)) return { cells, end: index };
  }
}

/** Returns the cell whose quote opens at `from`, and its end; undefined if the quote isn't closed. */
function readQuotedCell(
  text: string,
  from: number,
  { quote }: CsvSyntax,
): { cell: string; end: number } | undefined {
  let index = text.indexOf(quote, from + 1);
  while (index !== -1 && text[index + 1] === quote) index = text.indexOf(quote, index + 2);
  if (index === -1) return undefined;
  return { cell: text.slice(from + 1, index).replaceAll(quote + quote, quote), end: index + 1 };
}

/** Returns the separator that some spreadsheets write in the first line: `sep=;`. */
export function parseDelimiterHint(raw: string): string | undefined {
  return /^"?sep=(.?)"?$/i.exec(raw)?.[1];
}

function isSeparatorHint({ raw, line }: CsvRecord): boolean {
  return line === 1 && parseDelimiterHint(raw) !== undefined;
}

const [lineFeed, carriageReturn] = [10, 13];

function isBreak(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code === lineFeed || code === carriageReturn;
}

/** Returns the end of the line at `from`: its line break, or the end of the text. */
function lineEnd(text: string, from: number): number {
  let index = from;
  while (index < text.length && !isBreak(text, index)) index++;
  return index;
}

function breakLength(text: string, index: number): number {
  if (index >= text.length) return 0;
  return text.charCodeAt(index) === carriageReturn && text.charCodeAt(index + 1) === lineFeed ? 2 : 1;
}

/** Returns whether the line break at `index` is complete: CR LF may be in two chunks. */
function isCompleteBreak(text: string, index: number): boolean {
  return index < text.length && (text.charCodeAt(index) === lineFeed || index + 1 < text.length);
}

function countLines(text: string, from: number, to: number): number {
  let count = 1;
  for (let index = lineEnd(text, from); index < to; index = lineEnd(text, index + breakLength(text, index)))
    count++;
  return count;
}

/** Formats a record, without a line break. `splitRecord` returns the same cells. */
export function formatCsvRow(cells: readonly string[], { delimiter, quote }: CsvSyntax): string {
  const separator = delimiter[0] ?? '';
  const needsQuotes = (cell: string) =>
    cell.includes(separator) || cell.includes(quote) || /[\r\n]/.test(cell);
  return cells
    .map((cell) => (needsQuotes(cell) ? quote + cell.replaceAll(quote, quote + quote) + quote : cell))
    .join(delimiter);
}
