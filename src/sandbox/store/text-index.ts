/** Implements the text index, which finds parts of names quickly by the trigrams of every searched field. */
import type { Database } from '../../storage/database.ts';
import { quoteName } from '../../storage/quote-name.ts';
import type { Cell, Cells } from './cells.ts';
import type { Column, Table } from './tables.ts';

/** The maximum number of columns. The rowid of an entry is `seq * maxColumns` plus the stored number of its column. */
const maxColumns = 256;
const trigramLength = 3;
const maxTrigrams = 64;

/** A column of the text index. */
export interface SearchedColumn {
  table: string;
  column: string;
}

/** Indexes the text of a row. `cells` are the written cells. */
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

/** Adds new searched columns to the index, and removes columns that are no longer searched. */
export function updateSearchedColumns(database: Database, columns: readonly SearchedColumn[]): void {
  const keys = new Set(columns.map(({ table, column }) => keyOf(table, column)));
  const numbersByKey = new Map(
    database
      .all('SELECT name, number FROM sandbox_searched')
      .map((row) => [String(row.name), Number(row.number)]),
  );
  for (const [key, number] of numbersByKey) {
    if (!keys.has(key)) removeColumn(database, key, number);
  }
  for (const searchedColumn of columns) {
    const { table, column } = searchedColumn;
    if (!numbersByKey.has(keyOf(table, column))) addColumn(database, searchedColumn);
  }
}

/** Returns the columns of a table whose text is indexed. */
export function searchedColumns({ columns, filters }: Table): Column[] {
  const containsFields = new Set(filters.filter(({ match }) => match === 'contains').map(({ on }) => on));
  return columns.filter(({ field, fieldName }) => field.traits.matchesParts || containsFields.has(fieldName));
}

/** The SQL for rows that may contain searched text, in the order of `seq`. `x` is the alias of `sandbox_text`. */
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
 * Returns the SQL for rows that may contain the text; undefined if the text is too short for the index. The caller must
 * check the rows.
 */
export function textCandidates(table: Table, column: Column, text: string): TextCandidates | undefined {
  const letters = Array.from(fold(text));
  if (letters.length < trigramLength || !searchedColumns(table).includes(column)) return undefined;
  const starts = Array.from(
    { length: Math.min(letters.length - trigramLength + 1, maxTrigrams) },
    (_, start) => start,
  );
  const trigrams = new Set(starts.map((start) => letters.slice(start, start + trigramLength).join('')));
  const match = [...trigrams].map((trigram) => `"${trigram.replaceAll('"', '""')}"`).join(' AND ');
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

function indexCell(database: Database, key: string, seq: number, cell: Cell): void {
  database.run(
    `INSERT OR REPLACE INTO sandbox_text (rowid, folded)
     SELECT ? * ${maxColumns} + number, ? FROM sandbox_searched WHERE name = ?`,
    seq,
    fold(cell),
    key,
  );
}

function addColumn(database: Database, { table, column }: SearchedColumn): void {
  const usedNumbers = database.all('SELECT number FROM sandbox_searched').map((row) => Number(row.number));
  const number = Array.from({ length: maxColumns }, (_, candidate) => candidate).find(
    (candidate) => !usedNumbers.includes(candidate),
  );
  if (number === undefined) throw new Error(`More than ${maxColumns} columns are searched`);
  database.run('INSERT INTO sandbox_searched (name, number) VALUES (?, ?)', keyOf(table, column), number);
  database.run(
    `INSERT INTO sandbox_text (rowid, folded)
     SELECT seq * ${maxColumns} + ?, fold(${quoteName(column)}) FROM ${quoteName(table)}`,
    number,
  );
}

function removeColumn(database: Database, key: string, number: number): void {
  database.run(
    `DELETE FROM sandbox_text WHERE rowid IN (SELECT rowid FROM sandbox_text WHERE rowid % ${maxColumns} = ?)`,
    number,
  );
  database.run('DELETE FROM sandbox_searched WHERE name = ?', key);
}

/** Returns the text without case differences. SQLite's own functions only support ASCII letters. */
export function fold(text: Cell | undefined): string {
  return String(text ?? '')
    .normalize('NFC')
    .toLowerCase();
}
