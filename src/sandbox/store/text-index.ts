/** Parts of names found among a million records: an index of the three-letter pieces of every searched field. */
import type { Cell, Cells } from './cells.ts';
import type { Database } from './database.ts';
import { fold } from './fold.ts';
import type { Table, Tables } from './tables.ts';

/** A column's entries are told from others' by the last part of their number. */
const mostColumns = 256;
const pieceLength = 3;
const mostPieces = 64;

/** The comment makes a file's contract mark depend on how the columns are numbered. */
export function textIndexSql(tables: Tables): string {
  return `CREATE VIRTUAL TABLE sandbox_text USING fts5(
  folded, tokenize = 'trigram case_sensitive 1', content = '', contentless_delete = 1, detail = none
) /* ${tables.searched().join(' ')} */`;
}

/** Takes in what a row holds now; `cells` are those that were written. */
export function indexText(database: Database, table: Table, seq: number, cells: Cells): void {
  for (const { name, number } of table.searched) {
    if (cells[name] === undefined) continue;
    const entry = seq * mostColumns + number;
    database.run(
      'INSERT OR REPLACE INTO sandbox_text (rowid, folded) VALUES (?, ?)',
      entry,
      fold(cells[name]),
    );
  }
}

export function forgetText(database: Database, table: Table, seq: number): void {
  for (const { number } of table.searched) {
    database.run('DELETE FROM sandbox_text WHERE rowid = ?', seq * mostColumns + number);
  }
}

export function forgetAllText(database: Database): void {
  database.run("INSERT INTO sandbox_text (sandbox_text) VALUES ('delete-all')");
}

/**
 * Where to look for rows that may hold a text, in the order of their `seq`: whether they do is still to be
 * seen. Undefined for text that is too short to be in the index,
 * and for columns that nobody searches by.
 */
export function textCandidates(
  table: Table,
  columnName: string,
  text: string,
): { from: string; seq: string; order: string; sql: string; cells: Cell[] } | undefined {
  const letters = Array.from(fold(text));
  const column = table.searched.find(({ name }) => name === columnName);
  if (!column || letters.length < pieceLength) return undefined;
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
    sql: `sandbox_text MATCH ? AND x.rowid % ${mostColumns} = ?`,
    cells: [match, column.number],
  };
}
