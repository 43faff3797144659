/** Converts the columns of tables that an earlier boh created with decimal numbers as text. */
import type { Cell, Database } from '../../storage/database.ts';
import { quoteName } from '../../storage/quote-name.ts';
import { exactColumn, exactDigits, numericColumns, sqliteTable, toDouble } from '../schema/numbers.ts';
import type { Column, Table } from '../schema/table.ts';
import { addColumnStatement, sqlTypeName, textLiteral } from './ddl.ts';

/** SQL functions for a connection that updates tables. */
export const numberFunctions = {
  boh_number: (digits: Cell) => toDouble(digits),
  /** Accepts names and digits alternately. */
  boh_exact: (...cells: Cell[]) =>
    exactDigits(
      cells.flatMap((name, index) =>
        index % 2 === 0 ? [[String(name), String(cells[index + 1] ?? '')] as const] : [],
      ),
    ),
};

/**
 * Returns the numeric columns that are still declared as text. `types` are the declared types of the table's columns.
 */
export function textNumberColumns(table: Table, types: ReadonlyMap<string, string>): Column[] {
  return numericColumns(table).filter(({ name, type }) => {
    const declaredType = types.get(name);
    return declaredType !== undefined && declaredType.toLowerCase() !== sqlTypeName('sqlite', type);
  });
}

/** Converts the columns to numbers in one transaction. Other columns, indexes and views are unchanged. */
export function convertToNumbers(database: Database, table: Table, types: ReadonlyMap<string, string>): void {
  const columns = textNumberColumns(table, types);
  const exactDigitsColumn = sqliteTable(table).columns.find(({ name }) => name === exactColumn);
  if (exactDigitsColumn && !types.has(exactColumn))
    database.script(addColumnStatement('sqlite', table, exactDigitsColumn));
  if (columns.length === 0) return;
  declareAsNumbers(database, table, columns);
  const digits = columns.flatMap(({ name }) => [textLiteral(name), quoteName(name)]);
  const changes = [
    `${quoteName(exactColumn)} = boh_exact(${digits.join(', ')})`,
    ...columns.map(({ name }) => `${quoteName(name)} = boh_number(${quoteName(name)})`),
  ];
  database.run(`UPDATE ${quoteName(table.name)} SET ${changes.join(', ')}`);
}

/**
 * Changes the declared types of columns. SQLite has no statement for that, and documents this method. The caller must
 * then update every row.
 */
function declareAsNumbers(database: Database, { name }: Table, columns: readonly Column[]): void {
  database.withoutDefensiveMode(() => {
    const version = Number(database.get('PRAGMA schema_version')?.schema_version);
    const oldSql = String(
      database.get("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?", name)?.sql,
    );
    const sql = columns.reduce(
      (text, column) =>
        text.replace(
          `${quoteName(column.name)} text`,
          `${quoteName(column.name)} ${sqlTypeName('sqlite', column.type)}`,
        ),
      oldSql,
    );
    database.script('PRAGMA writable_schema = ON');
    database.run("UPDATE sqlite_schema SET sql = ? WHERE type = 'table' AND name = ?", sql, name);
    database.script(`PRAGMA schema_version = ${version + 1}; PRAGMA writable_schema = OFF`);
  });
}
