/** Changes carried out in a file of SQLite, inside a transaction that is somebody else’s to begin and to end. */
import type { Database } from '../../storage/database.ts';
import { quoted } from '../../storage/quoted.ts';
import { exactColumn, inSqlite, numericColumns, rowsInSqlite } from '../schema/numbers.ts';
import type { Cell } from '../schema/table.ts';
import { text } from './ddl.ts';
import { ColumnsInUse, type Statements } from './statements.ts';
import type { Change } from './store.ts';

/** Rows of one statement: less work for each, up to where their values are more than is quickly handed over. */
const atOnce = 10;

type Rows = readonly (readonly Cell[])[];

export class SqliteChanges {
  readonly #statements: Statements;
  readonly #inUse = new ColumnsInUse();

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  carryOut(database: Database, change: Change): void {
    const table = inSqlite(change.table);
    if (change.kind === 'put') {
      const rows = rowsInSqlite(change.table, change.rows);
      const { names, places } = this.#inUse.of(table, rows);
      const putEach = (some: Rows, count: number) =>
        database.runEach(this.#statements.put(table, names, count), together(some, count, places));
      const alone = rows.length % atOnce;
      if (alone > 0) putEach(rows.slice(0, alone), 1);
      if (rows.length >= atOnce) putEach(alone > 0 ? rows.slice(alone) : rows, atOnce);
    } else if (change.kind === 'drop') {
      const each = change.values.map((value) => [value]);
      database.runEach(this.#statements.drop(table, change.column, 1), each);
    } else if (change.kind === 'clear') {
      database.run(this.#statements.clear(table));
    } else {
      database.run(this.#statements.blank(table, change.columns));
      blankDigits(database, change);
    }
  }
}

/** The digits that stand beside emptied numbers. */
function blankDigits(database: Database, { table, columns }: Extract<Change, { kind: 'blank' }>): void {
  const paths = numericColumns(table).flatMap(({ name }) =>
    columns.includes(name) ? [text(`$.${quoted(name)}`)] : [],
  );
  if (paths.length === 0) return;
  database.run(
    `UPDATE ${quoted(table.name)} SET ${exactColumn} = nullif(json_remove(${exactColumn}, ${paths.join(', ')}), '{}')
     WHERE ${exactColumn} IS NOT NULL`,
  );
}

/** The cells of so many rows after each other; in one list, which is filled anew for each statement. */
function* together(rows: Rows, many: number, places: readonly number[]): Generator<readonly Cell[]> {
  const cells: Cell[] = [];
  for (let first = 0; first < rows.length; first += many) {
    let count = 0;
    for (let at = first; at < first + many; at++) {
      for (const place of places) cells[count++] = rows[at]?.[place] ?? null;
    }
    yield cells;
  }
}
