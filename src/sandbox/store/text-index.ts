/** Finds parts of names among a million records: an index of three-letter pieces of every searched field. */
import type { Database } from '../../storage/database.ts';
import { quoted } from '../../storage/quoted.ts';
import type { Cell, Cells } from './cells.ts';
import type { Column, Table } from './tables.ts';

/**
 * The maximum number of columns. The last part of an entry's number is the number of its column, and the file
 * stores which column has which number.
 */
const maxColumns = 256;
const trigramLength = 3;
const maxTrigrams = 64;

/** A column that is in the text index. */
export interface SearchedColumn {
  table: string;
  column: string;
}

/** Indexes the text of a row; `cells` are those that were written. */
export function indexText(database: Database, table: Table, seq: number, cells: Cells): void {
  for (const { name } of searchedColumns(table)) {
    if (cells[name] !== undefined) indexCell(database, keyOf(table.name, name), seq, cells[name]);
  }
}

/** Removes a row from the index. */
export function removeText(database: Database, table: Table, seq: number): void {
  for (const { name } of searchedColumns(table)) {
    database.run(
      `DELETE FROM sandbox_text WHERE rowid = ? * ${maxColumns} + (${numberQuery})`,
      seq,
      keyOf(table.name, name),
    );
  }
}

/** Adds columns that are searched now, and removes those that no longer are. */
export function updateSearchedColumns(database: Database, wanted: readonly SearchedColumn[]): void {
  const wantedKeys = new Set(wanted.map(({ table, column }) => keyOf(table, column)));
  const indexed = new Map(
    database
      .all('SELECT name, number FROM sandbox_searched')
      .map((row) => [String(row.name), Number(row.number)]),
  );
  for (const [title, value] of indexed) {
    if (!wantedKeys.has(title)) removeColumn(database, title, value);
  }
  for (const each of wanted) {
    if (!indexed.has(keyOf(each.table, each.column))) addColumn(database, each);
  }
}

/** Returns the columns of a table whose text is indexed. */
export function searchedColumns({ columns, filters }: Table): Column[] {
  const containsFields = new Set(filters.filter(({ match }) => match === 'contains').map(({ on }) => on));
  return columns.filter(({ field, fieldName }) => field.traits.searched || containsFields.has(fieldName));
}

/** Rows that may contain a text, in the order of `seq`; `sandbox_text` is named `x`. */
export interface TextCandidates {
  from: string;
  seq: string;
  order: string;
  /** The condition for rows after a `seq`. */
  afterSql: string;
  sql: string;
  cells: Cell[];
}

/**
 * Returns rows that may contain the text: the caller must check. Returns undefined if the text is too short for the
 * index.
 */
export function textCandidates(table: Table, column: Column, text: string): TextCandidates | undefined {
  const letters = Array.from(fold(text));
  if (letters.length < trigramLength || !searchedColumns(table).includes(column)) return undefined;
  const starts = Array.from(
    { length: Math.min(letters.length - trigramLength + 1, maxTrigrams) },
    (_, at) => at,
  );
  const trigrams = new Set(starts.map((at) => letters.slice(at, at + trigramLength).join('')));
  const match = [...trigrams].map((piece) => `"${piece.replaceAll('"', '""')}"`).join(' AND ');
  return {
    from: 'sandbox_text x',
    seq: `x.rowid / ${maxColumns}`,
    order: 'x.rowid',
    afterSql: `x.rowid >= (? + 1) * ${maxColumns}`,
    sql: `sandbox_text MATCH ? AND x.rowid % ${maxColumns} = (${numberQuery})`,
    cells: [match, keyOf(table.name, column.name)],
  };
}

const numberQuery = 'SELECT number FROM sandbox_searched WHERE name = ?';

function keyOf(table: string, column: string): string {
  return `${table}.${column}`;
}

function indexCell(database: Database, title: string, seq: number, cell: Cell): void {
  database.run(
    `INSERT OR REPLACE INTO sandbox_text (rowid, folded)
     SELECT ? * ${maxColumns} + number, ? FROM sandbox_searched WHERE name = ?`,
    seq,
    fold(cell),
    title,
  );
}

function addColumn(database: Database, { table, column }: SearchedColumn): void {
  const used = database.all('SELECT number FROM sandbox_searched').map((row) => Number(row.number));
  const free = Array.from({ length: maxColumns }, (_, at) => at).find((at) => !used.includes(at));
  if (free === undefined) throw new Error(`More than ${maxColumns} columns are searched`);
  database.run('INSERT INTO sandbox_searched (name, number) VALUES (?, ?)', keyOf(table, column), free);
  database.run(
    `INSERT INTO sandbox_text (rowid, folded)
     SELECT seq * ${maxColumns} + ?, fold(${quoted(column)}) FROM ${quoted(table)}`,
    free,
  );
}

function removeColumn(database: Database, title: string, value: number): void {
  database.run(
    `DELETE FROM sandbox_text WHERE rowid IN (SELECT rowid FROM sandbox_text WHERE rowid % ${maxColumns} = ?)`,
    value,
  );
  database.run('DELETE FROM sandbox_searched WHERE name = ?', title);
}

/** Returns text in a form that ignores case: SQLite's own way knows only Latin letters. */
export function fold(text: Cell | undefined): string {
  return String(text ?? '')
    .normalize('NFC')
    .toLowerCase();
}
