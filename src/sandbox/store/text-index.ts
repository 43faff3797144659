/** Parts of names found among a million records: an index of the three-letter pieces of every searched field. */
import type { Database } from '../../storage/database.ts';
import { quoted } from '../../storage/quoted.ts';
import type { Cell, Cells } from './cells.ts';
import type { Column, Table } from './tables.ts';

/** A column's entries are told from others' by the last part of their number; which it is, the file itself says. */
const mostColumns = 256;
const pieceLength = 3;
const mostPieces = 64;

export interface SearchedColumn {
  table: string;
  column: string;
}

/** Takes in what a row holds now; `cells` are those that were written. */
export function indexText(database: Database, table: Table, seq: number, cells: Cells): void {
  for (const { name } of searchedColumns(table)) {
    if (cells[name] !== undefined) indexOne(database, titleOf(table.name, name), seq, cells[name]);
  }
}

export function forgetText(database: Database, table: Table, seq: number): void {
  for (const { name } of searchedColumns(table)) {
    database.run(
      `DELETE FROM sandbox_text WHERE rowid = ? * ${mostColumns} + (${number})`,
      seq,
      titleOf(table.name, name),
    );
  }
}

/** Takes in the columns that are searched since now, and forgets those that no longer are. */
export function adjustTextIndex(database: Database, wanted: readonly SearchedColumn[]): void {
  const titles = new Set(wanted.map(({ table, column }) => titleOf(table, column)));
  const known = new Map(
    database
      .all('SELECT name, number FROM sandbox_searched')
      .map((row) => [String(row.name), Number(row.number)]),
  );
  for (const [title, value] of known) {
    if (!titles.has(title)) forgetColumn(database, title, value);
  }
  for (const each of wanted) {
    if (!known.has(titleOf(each.table, each.column))) takeIn(database, each);
  }
}

/** The columns of a table whose text is searched by its parts. */
export function searchedColumns({ columns, filters }: Table): Column[] {
  const asked = new Set(filters.filter(({ match }) => match === 'contains').map(({ on }) => on));
  return columns.filter(({ field, fieldName }) => field.traits.searched || asked.has(fieldName));
}

/** Rows that may hold a text, in the order of their `seq`: `sandbox_text` stands as `x`. */
export interface Candidates {
  from: string;
  seq: string;
  order: string;
  /** Those behind a `seq`. */
  behind: string;
  sql: string;
  cells: Cell[];
}

/** Whether they do hold it is still to be seen. Undefined for text that is too short to be in the index. */
export function textCandidates(table: Table, column: Column, text: string): Candidates | undefined {
  const letters = Array.from(fold(text));
  if (letters.length < pieceLength || !searchedColumns(table).includes(column)) return undefined;
  const starts = Array.from(
    { length: Math.min(letters.length - pieceLength + 1, mostPieces) },
    (_, at) => at,
  );
  const pieces = new Set(starts.map((at) => letters.slice(at, at + pieceLength).join('')));
  const match = [...pieces].map((piece) => `"${piece.replaceAll('"', '""')}"`).join(' AND ');
  return {
    from: 'sandbox_text x',
    seq: `x.rowid / ${mostColumns}`,
    order: 'x.rowid',
    behind: `x.rowid >= (? + 1) * ${mostColumns}`,
    sql: `sandbox_text MATCH ? AND x.rowid % ${mostColumns} = (${number})`,
    cells: [match, titleOf(table.name, column.name)],
  };
}

const number = 'SELECT number FROM sandbox_searched WHERE name = ?';

function titleOf(table: string, column: string): string {
  return `${table}.${column}`;
}

function indexOne(database: Database, title: string, seq: number, cell: Cell): void {
  database.run(
    `INSERT OR REPLACE INTO sandbox_text (rowid, folded)
     SELECT ? * ${mostColumns} + number, ? FROM sandbox_searched WHERE name = ?`,
    seq,
    fold(cell),
    title,
  );
}

function takeIn(database: Database, { table, column }: SearchedColumn): void {
  const used = database.all('SELECT number FROM sandbox_searched').map((row) => Number(row.number));
  const free = Array.from({ length: mostColumns }, (_, at) => at).find((at) => !used.includes(at));
  if (free === undefined) throw new Error(`More than ${mostColumns} columns are searched`);
  database.run('INSERT INTO sandbox_searched (name, number) VALUES (?, ?)', titleOf(table, column), free);
  database.run(
    `INSERT INTO sandbox_text (rowid, folded)
     SELECT seq * ${mostColumns} + ?, fold(${quoted(column)}) FROM ${quoted(table)}`,
    free,
  );
}

function forgetColumn(database: Database, title: string, value: number): void {
  database.run(
    `DELETE FROM sandbox_text WHERE rowid IN (SELECT rowid FROM sandbox_text WHERE rowid % ${mostColumns} = ?)`,
    value,
  );
  database.run('DELETE FROM sandbox_searched WHERE name = ?', title);
}

/** Text without regard to case, for searches: SQLite's own way knows the Latin alphabet alone. */
export function fold(text: Cell | undefined): string {
  return String(text ?? '')
    .normalize('NFC')
    .toLowerCase();
}
