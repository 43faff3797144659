/** Generates CSV files with one defect each, and their original table: stray quotes, missing commas, titles, other separators. */
import { randomNumbers } from './random-numbers.ts';

export type Expected =
  /** The table is read without a note. */
  | 'same'
  /** The table is read with a note about how. */
  | 'same, with a note'
  /** All rows but one are read, and the note names that row by its line. */
  | 'one row reported'
  /** Notes name rows by line, or describe the file. A different table without a note is an error. */
  | 'reported'
  /** The file as a whole is refused. */
  | 'refused';

export interface PollutedFile {
  name: string;
  text: string;
  /** The header and the original rows. */
  clean: string[][];
  expected: Expected;
  /** The line number of the reported row. */
  line?: number;
}

interface RawRow {
  /** The cells as they are in the file, including quotes. */
  cells: string[];
  /** The separators between the cells. */
  separators: string[];
  end: string;
}

export const columnNames = [
  ...['name', 'contact_name', 'code', 'phone', 'email', 'kind', 'description', 'website', 'comments'],
];

const words = ['Coastal', 'Fish', 'Market', "Baker's", 'Fresh', 'Farms', 'Omar', 'Mona', 'Organic', 'مخبز'];

/** Returns a table whose last column is blank, with commas and quotes in some cells. */
function createTable(rows: number, columns: number, random: () => number): string[][] {
  const word = () => words[Math.floor(random() * words.length)] ?? '';
  const digits = (count: number) => String(Math.floor(random() * 10 ** count)).padStart(count, '0');
  const row = (index: number) => [
    `${word()} ${word()} ${index}`,
    word(),
    `${word().slice(0, 2).toUpperCase()}-${digits(4)}`,
    digits(9),
    `m${index}@x.example`,
    random() < 0.3 ? `${word()}, ${word()}` : word(),
    `${word()}, ${word()} and ${random() < 0.2 ? '12" ' : ''}${word()}.`,
    `https://www.example.com/${digits(4)}.html`,
    '',
  ];
  const tableRows = [columnNames, ...Array.from({ length: rows - 1 }, (_, index) => row(index + 1))];
  return tableRows.map((cells) => [...cells.slice(0, columns - 1), cells.at(-1) ?? '']);
}

interface Style {
  delimiter?: string;
  quote?: string;
  /** The escape character before a quote within quotes. */
  escape?: string;
  end?: string;
}

function toRawRow(cells: readonly string[], style: Style = {}): RawRow {
  const { delimiter = ',', quote = '"', escape: escapeCharacter = quote, end = '\r\n' } = style;
  const toQuoted = (cell: string) => quote + cell.replaceAll(quote, escapeCharacter + quote) + quote;
  const raw = (cell: string) => (/[",;\t]/.test(cell) || cell.startsWith('https:') ? toQuoted(cell) : cell);
  return { cells: cells.map(raw), separators: Array(cells.length - 1).fill(delimiter), end };
}

function formatRows(rows: readonly RawRow[]): string {
  const line = ({ cells, separators, end }: RawRow) =>
    cells.map((cell, index) => cell + (separators[index] ?? '')).join('') + end;
  return rows.map(line).join('');
}

/** Yields all files for a table of `rows` (including its header) and `columns`; the same seed gives the same files. */
export function* pollutedFiles(size: {
  rows: number;
  columns: number;
  seed: number;
}): Generator<PollutedFile> {
  const clean = createTable(size.rows, size.columns, randomNumbers(size.seed));
  yield* filesWithTableDefects(clean);
  for (let row = 0; row < size.rows; row++) yield* filesWithRowDefects(clean, row);
}

function* filesWithTableDefects(clean: string[][]): Generator<PollutedFile> {
  const [header = [], ...body] = clean;
  const rows = (table: readonly string[][], style?: Style) => table.map((cells) => toRawRow(cells, style));
  const plain = (table: readonly string[][], style?: Style) => formatRows(rows(table, style));
  const file = (name: string, expected: Expected, text: string, original = clean): PollutedFile => ({
    name,
    expected,
    text,
    clean: original,
  });
  const blank = header.map(() => '');
  yield file('source', 'same', plain(clean));
  yield file('no payload', 'refused', '', []);
  yield file('no line break at the end', 'same', plain(clean).slice(0, -2));
  yield file('two line breaks at the end', 'same', `${plain(clean)}\r\n`);
  yield file('no header', 'same', plain(body), body);
  yield file('two headers', 'reported', plain([header, ...clean]));
  yield file('three headers', 'reported', plain([header, header, ...clean]));
  yield file('title', 'same, with a note', plain([['TITLE', ...blank.slice(1)], blank, ...clean]));
  const narrow = clean.map((cells) => cells.slice(0, -1));
  const wide = clean.map((cells, index) => [...cells, index === 0 ? 'more' : '']);
  yield file('a second table', 'reported', plain([...clean, ...clean]), [...clean, ...body]);
  yield file('a second, narrower table', 'reported', plain([...clean, ...narrow]));
  yield file('a second, wider table', 'reported', plain([...clean, ...wide]));
  yield file('header alone', 'same', plain([header]), [header]);
  yield file('one row', 'same', plain(clean.slice(0, 2)), clean.slice(0, 2));
  yield file('LF', 'same', plain(clean, { end: '\n' }));
  yield file('CR', 'same', plain(clean, { end: '\r' }));
  yield file('semicolons', 'same', plain(clean, { delimiter: ';' }));
  yield file('tabs', 'same', plain(clean, { delimiter: '\t' }));
  yield file('commas and blanks', 'same, with a note', plain(clean, { delimiter: ', ' }));
  yield file('blanks', 'reported', plain(clean, { delimiter: ' ' }));
  yield file('apostrophes as quotes', 'reported', plain(clean, { quote: "'" }));
  yield file('backslashes before quotes', 'reported', plain(clean, { escape: '\\' }));
  yield file('quotes within quotes', 'reported', plain(clean, { escape: '' }));
}

function* filesWithRowDefects(clean: string[][], row: number): Generator<PollutedFile> {
  const [line, isHeader] = [row + 1, row === 0];
  const file = (name: string, change: (raw: RawRow) => void): PollutedFile => {
    const rows = clean.map((cells) => toRawRow(cells));
    const raw = rows[row];
    if (raw) change(raw);
    const expected = isHeader ? 'reported' : 'one row reported';
    return { name: `${name}, row ${row}`, text: formatRows(rows), clean, expected, line };
  };
  for (let column = 0; column < (clean[0]?.length ?? 0); column++) {
    yield file(`an extra separator before column ${column}`, (raw) => {
      raw.cells.splice(column, 0, '');
      raw.separators.push(',');
    });
    if (column > 0)
      yield file(`a missing separator before column ${column}`, (raw) => {
        raw.separators[column - 1] = '';
      });
    yield file(`an extra quote in column ${column}`, (raw) => {
      raw.cells[column] = `"${raw.cells[column]}`;
    });
  }
  yield file('blanks between cells', (raw) => {
    raw.separators.fill(' ');
  });
}
