/** Brings tables up to date that an earlier boh has made, with the digits of numbers as texts: they become numbers in place. */
import type { Cell, Database } from '../../storage/database.ts';
import { quoted } from '../../storage/quoted.ts';
import { exactColumn, exactIn, inSqlite, numberOf, numericColumns } from '../schema/numbers.ts';
import type { Column, Table } from '../schema/table.ts';
import { addColumn, text, typeIn } from './ddl.ts';

/** Callable in the SQL of a connection that brings tables up to date. */
export const numberFunctions = {
  boh_number: (digits: Cell) => numberOf(digits),
  /** Names and digits, one after the other. */
  boh_exact: (...cells: Cell[]) =>
    exactIn(
      cells.flatMap((name, at) =>
        at % 2 === 0 ? [[String(name), String(cells[at + 1] ?? '')] as const] : [],
      ),
    ),
};

/** Columns that hold digits as texts. `types` are those of the columns that the table has. */
export function textualNumbers(table: Table, types: ReadonlyMap<string, string>): Column[] {
  return numericColumns(table).filter(({ name, type }) => {
    const own = types.get(name);
    return own !== undefined && own.toLowerCase() !== typeIn('sqlite', type);
  });
}

/** Makes numbers of them, in one transaction; columns, indexes and views of others stay. */
export function makeNumbers(database: Database, table: Table, types: ReadonlyMap<string, string>): void {
  const columns = textualNumbers(table, types);
  const beside = inSqlite(table).columns.find(({ name }) => name === exactColumn);
  if (beside && !types.has(exactColumn)) database.script(addColumn('sqlite', table, beside));
  if (columns.length === 0) return;
  declareNumbers(database, table, columns);
  const digits = columns.flatMap(({ name }) => [text(name), quoted(name)]);
  const changes = [
    `${quoted(exactColumn)} = boh_exact(${digits.join(', ')})`,
    ...columns.map(({ name }) => `${quoted(name)} = boh_number(${quoted(name)})`),
  ];
  database.run(`UPDATE ${quoted(table.name)} SET ${changes.join(', ')}`);
}

/**
 * Changes the types that the columns were declared with. SQLite has no statement for that, and describes this way; every
 * row is written anew behind it.
 */
function declareNumbers(database: Database, { name }: Table, columns: readonly Column[]): void {
  database.undefended(() => {
    const version = Number(database.get('PRAGMA schema_version')?.schema_version);
    const before = String(
      database.get("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?", name)?.sql,
    );
    const sql = columns.reduce(
      (made, column) =>
        made.replace(
          `${quoted(column.name)} text`,
          `${quoted(column.name)} ${typeIn('sqlite', column.type)}`,
        ),
      before,
    );
    database.script('PRAGMA writable_schema = ON');
    database.run("UPDATE sqlite_schema SET sql = ? WHERE type = 'table' AND name = ?", sql, name);
    database.script(`PRAGMA schema_version = ${version + 1}; PRAGMA writable_schema = OFF`);
  });
}
