/** Applies changes to a SQLite file, inside a transaction that the caller begins and ends. */
import type { Database } from '../../storage/database.ts';
import { quoteName } from '../../storage/quote-name.ts';
import { exactColumn, numericColumns, sqliteRows, sqliteTable } from '../schema/numbers.ts';
import { textLiteral } from './ddl.ts';
import type { Statements } from './statements.ts';
import type { StoreChange } from './store.ts';

/** Applies changes with statements that are prepared once. */
export class SqliteChanges {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  apply(database: Database, change: StoreChange): void {
    const table = sqliteTable(change.table);
    if (change.kind === 'put') {
      database.runEach(this.#statements.put(table, 1), sqliteRows(change.table, change.rows));
    } else if (change.kind === 'drop') {
      const valueRows = change.values.map((value) => [value]);
      database.runEach(this.#statements.drop(table, change.column, 1), valueRows);
    } else if (change.kind === 'clear') {
      database.run(this.#statements.clear(table));
    } else {
      database.run(this.#statements.blank(table, change.columns));
      blankDigits(database, change);
    }
  }
}

/** Removes the exact digits of columns that were emptied. */
function blankDigits(database: Database, { table, columns }: Extract<StoreChange, { kind: 'blank' }>): void {
  const paths = numericColumns(table).flatMap(({ name }) =>
    columns.includes(name) ? [textLiteral(`$.${quoteName(name)}`)] : [],
  );
  if (paths.length === 0) return;
  database.run(
    `UPDATE ${quoteName(table.name)} SET ${exactColumn} = nullif(json_remove(${exactColumn}, ${paths.join(', ')}), '{}')
     WHERE ${exactColumn} IS NOT NULL`,
  );
}
