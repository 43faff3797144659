/** Surveys all rows of a CSV file before they are imported, for properties that depend on all rows and for notes. */

import { labelInSentence } from './check-file.ts';
import type { CsvRecord, CsvSyntax } from './csv-splitter.ts';

export interface Survey {
  /** The number of blank cells at the end of every row beyond the header. They are ignored. */
  extraCells: number;
  /** Notes on how the file is read. */
  notes: string[];
}

export interface SurveyInput {
  /** The name of the file in messages: "The file prices.csv". */
  label: string;
  columns: readonly string[];
  syntax: CsvSyntax;
  /** Whether the command has the flag `--quote`. */
  hasFlags: boolean;
}

/** The maximum number of line numbers in a note. */
const maxNamedLines = 5;

/** Surveys the records below the header. Returns the number of extra cells, and notes for the user. */
export async function surveyCsv(
  rows: AsyncIterable<readonly CsvRecord[]>,
  { label, columns, syntax, hasFlags }: SurveyInput,
): Promise<Survey> {
  const extraCellCounter = new ExtraCells(columns.length);
  const quotedColumns = new QuotedColumns(columns);
  const leadingSpaces = new LeadingSpaces(syntax);
  const multilineRows: number[] = [];
  for await (const batch of rows) {
    for (const record of batch) {
      if (record.problem !== undefined || areCellsBlank(record.cells)) continue;
      extraCellCounter.add(record.cells);
      if (record.cells.length === columns.length) leadingSpaces.add(record);
      if (syntax.quote === '"') quotedColumns.add(record.cells);
      if (record.lines > 1 && hasRowPerLine(record, syntax, columns.length)) multilineRows.push(record.line);
    }
  }
  const extraCells = extraCellCounter.count;
  const notes: string[] = [];
  if (extraCells > 0) {
    const subject = extraCells === 1 ? 'an extra blank cell' : `${extraCells} extra blank cells`;
    notes.push(`Ignored ${subject} at the end of every row of ${labelInSentence(label)}.`);
  }
  if (multilineRows.length > 0) {
    notes.push(
      `${label} has quoted values that span several lines and may hide rows. Check the quotes on ${formatLineNumbers(multilineRows)}.`,
    );
  }
  const unusualLines = leadingSpaces.unusualLines();
  if (unusualLines.length > 0) {
    notes.push(
      `${label} has cells that start with a space, possibly because of an unquoted comma. Check ${formatLineNumbers(unusualLines)}.`,
    );
  }
  const quotedNames = quotedColumns.names();
  if (quotedNames.length > 0) {
    const advice = hasFlags ? ' To remove them: --quote single.' : '';
    notes.push(
      `All values of ${quotedNames.join(', ')} in ${labelInSentence(label)} are in single quotes, which are kept as text.${advice}`,
    );
  }
  return { extraCells, notes };
}

/** Returns the line numbers for a note: `line 4`, or `lines 4, 9`. */
function formatLineNumbers(lines: readonly number[]): string {
  const lineList = lines.slice(0, maxNamedLines).join(', ') + (lines.length > maxNamedLines ? ', …' : '');
  return `${lines.length === 1 ? 'line' : 'lines'} ${lineList}`;
}

/** Returns whether all cells are blank, as in the last lines of some spreadsheets. */
export function areCellsBlank(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === '');
}

/**
 * Counts extra cells. An unquoted comma in a row whose last cell is blank also leaves a blank cell at the end, which
 * shifts the other cells. So extra cells are ignored only if more than one row has them and every row has the same number.
 */
class ExtraCells {
  readonly #columnCount: number;
  #extraCells: number | undefined;
  #rows = 0;

  constructor(columnCount: number) {
    this.#columnCount = columnCount;
  }

  add(cells: readonly string[]): void {
    const extraCells = this.#hasBlankExtraCells(cells) ? cells.length - this.#columnCount : 0;
    this.#extraCells = this.#rows++ === 0 || this.#extraCells === extraCells ? extraCells : 0;
  }

  /** Returns whether a row has only blank extra cells and no leading space, which suggests an unquoted comma. */
  #hasBlankExtraCells(cells: readonly string[]): boolean {
    return (
      cells.length > this.#columnCount &&
      areCellsBlank(cells.slice(this.#columnCount)) &&
      !cells.some(startsWithSpace)
    );
  }

  get count(): number {
    return this.#rows > 1 ? (this.#extraCells ?? 0) : 0;
  }
}

function startsWithSpace(cell: string, index: number): boolean {
  return index > 0 && /^ +\S/.test(cell);
}

/**
 * Finds rows with a space after a comma in a file that mostly has no such spaces. The comma may be an unquoted part of a value, and
 * the row then has as many cells as the header only because its last cell is missing.
 */
class LeadingSpaces {
  readonly #hasCommas: boolean;
  readonly #lines: number[] = [];
  #rows = 0;

  constructor({ delimiter }: CsvSyntax) {
    this.#hasCommas = delimiter === ',';
  }

  add({ cells, raw, line }: CsvRecord): void {
    this.#rows++;
    if (!this.#hasCommas || !raw.includes(', ')) return;
    if (
      raw.split('"').some((part, index) => index % 2 === 0 && /, +[^\s,"]/.test(part)) &&
      cells.some(startsWithSpace)
    )
      this.#lines.push(line);
  }

  unusualLines(): readonly number[] {
    return this.#lines.length * 2 <= this.#rows || this.#rows === 1 ? this.#lines : [];
  }
}

/** Finds columns whose cells are all in single quotes. */
class QuotedColumns {
  readonly #names: readonly string[];
  readonly #quoted = new Set<number>();
  readonly #unquoted = new Set<number>();

  constructor(names: readonly string[]) {
    this.#names = names;
  }

  add(cells: readonly string[]): void {
    for (const [index, cell] of cells.entries()) {
      if (cell === '' || this.#unquoted.has(index)) continue;
      if (isInSingleQuotes(cell)) this.#quoted.add(index);
      else this.#unquoted.add(index);
    }
  }

  names(): string[] {
    return this.#names.filter(
      (name, index) => name !== '' && this.#quoted.has(index) && !this.#unquoted.has(index),
    );
  }
}

/** Returns whether a cell is in single quotes, except for an apostrophe that keeps a spreadsheet from running the cell. */
function isInSingleQuotes(cell: string): boolean {
  return cell.length > 2 && /^'[^'\s=+\-@＝＋－＠\\].*'$/s.test(cell);
}

function hasRowPerLine({ raw }: CsvRecord, { delimiter }: CsvSyntax, width: number): boolean {
  return width > 1 && raw.split(/\r\n|\n|\r/).every((line) => line.split(delimiter).length === width);
}
