/** A look at all rows of a CSV file before any is taken: what only all of them together tell, and what people should know. */
import type { CsvRecord, CsvSyntax } from './csv-splitter.ts';

export interface Survey {
  /** Blank cells that every row has beyond the header, and that are left out: separators at the ends of lines. */
  extraCells: number;
  /** What people should know of how it is read, in sentences. */
  remarks: string[];
}

export interface Surveyed {
  /** Begins sentences: "The file prices.csv". */
  called: string;
  columns: readonly string[];
  syntax: CsvSyntax;
  /** Whether the line may say `--quote`. */
  hasFlags: boolean;
}

/** Lines that are named in a remark. */
const maxNamedLines = 5;

/** `rows`: the records below the header. */
export async function surveyOf(
  rows: AsyncIterable<readonly CsvRecord[]>,
  { called, columns, syntax, hasFlags }: Surveyed,
): Promise<Survey> {
  const widths = new Widths(columns.length);
  const quotedColumns = new QuotedColumns(columns);
  const blanks = new BlankBeginnings(syntax);
  const doubtful: number[] = [];
  for await (const batch of rows) {
    for (const record of batch) {
      if (record.problem !== undefined || isBlank(record.cells)) continue;
      widths.note(record.cells);
      if (record.cells.length === columns.length) blanks.note(record);
      if (syntax.quote === '"') quotedColumns.note(record.cells);
      if (record.lines > 1 && isRowEach(record, syntax, columns.length)) doubtful.push(record.line);
    }
  }
  const { extraCells } = widths;
  const remarks: string[] = [];
  if (extraCells > 0) {
    const cells = extraCells === 1 ? 'a blank cell' : `${extraCells} blank cells`;
    remarks.push(
      `${called} has ${cells} at the end of every row, behind those of its header, left out here.`,
    );
  }
  if (doubtful.length > 0) {
    remarks.push(
      `${called} has quotes that span lines of which each could be a row by itself: check the quotes of line ${named(doubtful)}.`,
    );
  }
  const unusual = blanks.unusualLines();
  if (unusual.length > 0) {
    remarks.push(
      `${called} has cells that begin with a blank, as behind a comma within a text, which would stand in quotes: check line ${named(unusual)}.`,
    );
  }
  const quoted = quotedColumns.names();
  if (quoted.length > 0) {
    const how = hasFlags ? ' --quote single leaves them out.' : '';
    remarks.push(
      `${called} has every cell of ${quoted.join(', ')} in apostrophes, which are taken for a part of the text.${how}`,
    );
  }
  return { extraCells, remarks };
}

function named(lines: readonly number[]): string {
  return lines.slice(0, maxNamedLines).join(', ') + (lines.length > maxNamedLines ? ', …' : '');
}

/** Spreadsheets leave lines of nothing but separators and blanks behind. */
export function isBlank(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === '');
}

/**
 * How many cells rows have. An unquoted comma in a row whose last cell is blank also leaves a blank cell behind the
 * others, which have then moved: only what every row has, and more than one, is the writer's way to end a line.
 */
class Widths {
  readonly #names: number;
  #extra: number | undefined;
  #rows = 0;

  constructor(names: number) {
    this.#names = names;
  }

  note(cells: readonly string[]): void {
    const extra = this.#isPlain(cells) ? cells.length - this.#names : 0;
    this.#extra = this.#rows++ === 0 || this.#extra === extra ? extra : 0;
  }

  /** A blank at the beginning of a cell stands behind a comma of a text. */
  #isPlain(cells: readonly string[]): boolean {
    return cells.length > this.#names && isBlank(cells.slice(this.#names)) && !cells.some(beginsWithBlank);
  }

  get extraCells(): number {
    return this.#rows > 1 ? (this.#extra ?? 0) : 0;
  }
}

function beginsWithBlank(cell: string, at: number): boolean {
  return at > 0 && /^ +\S/.test(cell);
}

/**
 * Rows with a blank behind a comma, in a file that mostly has none there: a comma of a text, where a row has as many
 * cells as the header only because its last one is missing.
 */
class BlankBeginnings {
  readonly #isByCommas: boolean;
  readonly #lines: number[] = [];
  #rows = 0;

  constructor({ delimiter }: CsvSyntax) {
    this.#isByCommas = delimiter === ',';
  }

  note({ cells, raw, line }: CsvRecord): void {
    this.#rows++;
    if (!this.#isByCommas || !raw.includes(', ')) return;
    if (
      raw.split('"').some((part, at) => at % 2 === 0 && /, +[^\s,"]/.test(part)) &&
      cells.some(beginsWithBlank)
    )
      this.#lines.push(line);
  }

  unusualLines(): readonly number[] {
    return this.#lines.length * 2 <= this.#rows || this.#rows === 1 ? this.#lines : [];
  }
}

/** Columns whose cells all stand in apostrophes, as other quotes than ours. */
class QuotedColumns {
  readonly #names: readonly string[];
  readonly #quoted = new Set<number>();
  readonly #others = new Set<number>();

  constructor(names: readonly string[]) {
    this.#names = names;
  }

  note(cells: readonly string[]): void {
    for (const [at, cell] of cells.entries()) {
      if (cell === '' || this.#others.has(at)) continue;
      if (isInApostrophes(cell)) this.#quoted.add(at);
      else this.#others.add(at);
    }
  }

  names(): string[] {
    return this.#names.filter((name, at) => name !== '' && this.#quoted.has(at) && !this.#others.has(at));
  }
}

/** Not with one that only keeps a spreadsheet from running the cell. */
function isInApostrophes(cell: string): boolean {
  return cell.length > 2 && /^'[^'\s=+\-@＝＋－＠\\].*'$/s.test(cell);
}

function isRowEach({ raw }: CsvRecord, { delimiter }: CsvSyntax, width: number): boolean {
  return width > 1 && raw.split(/\r\n|\n|\r/).every((line) => line.split(delimiter).length === width);
}
