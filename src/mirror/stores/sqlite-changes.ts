/** Applies changes to a SQLite file, inside a transaction that the caller begins and ends. */
import type { Database } from '../../storage/database.ts';
import { quoted } from '../../storage/quoted.ts';
import { exactColumn, numericColumns, sqliteRows, sqliteTable } from '../schema/numbers.ts';
import type { Cell } from '../schema/table.ts';
import { textLiteral } from './ddl.ts';
import { ColumnsInUse, type Statements } from './statements.ts';
import type { Change } from './store.ts';

/** How many rows one statement writes. More rows mean less work per row, until passing the values takes longer. */
const rowsPerStatement = 10;

type Rows = readonly (readonly Cell[])[];

/** Applies changes with statements that are prepared once. */
export class SqliteChanges {
  readonly #statements: Statements;
  readonly #inUse = new ColumnsInUse();

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  apply(database: Database, change: Change): void {
    const table = sqliteTable(change.table);
    if (change.kind === 'put') {
      const rows = sqliteRows(change.table, change.rows);
      const { names, places } = this.#inUse.of(table, rows);
      const putEach = (some: Rows, count: number) =>
        database.runEach(this.#statements.put(table, names, count), batchedCells(some, count, places));
      const alone = rows.length % rowsPerStatement;
      if (alone > 0) putEach(rows.slice(0, alone), 1);
      if (rows.length >= rowsPerStatement) putEach(alone > 0 ? rows.slice(alone) : rows, rowsPerStatement);
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

/** Removes the exact digits of columns that were emptied. */
function blankDigits(database: Database, { table, columns }: Extract<Change, { kind: 'blank' }>): void {
  const paths = numericColumns(table).flatMap(({ name }) =>
    columns.includes(name) ? [textLiteral(`$.${quoted(name)}`)] : [],
  );
  if (paths.length === 0) return;
  database.run(
    `UPDATE ${quoted(table.name)} SET ${exactColumn} = nullif(json_remove(${exactColumn}, ${paths.join(', ')}), '{}')
     WHERE ${exactColumn} IS NOT NULL`,
  );
}

/** Yields the cells of `many` rows at a time, in one array that is reused for each statement. */
function* batchedCells(rows: Rows, many: number, places: readonly number[]): Generator<readonly Cell[]> {
  const cells: Cell[] = [];
  for (let first = 0; first < rows.length; first += many) {
    let count = 0;
    for (let at = first; at < first + many; at++) {
      for (const place of places) cells[count++] = rows[at]?.[place] ?? null;
    }
    yield cells;
  }
}
