/**
 * Stores decimal numbers in SQLite, which has no decimal type: a column of doubles, so that queries can compare and
 * calculate, and one more column with the exact digits of numbers that a double would change.
 */
import type { StoredRow } from '../stores/store.ts';
import { plainDecimal } from './cell.ts';
import type { Cell, Column, Table } from './table.ts';

/** The column with the exact digits: a JSON object by column name, or null if the doubles are exact. */
export const exactColumn = 'exact_numbers';

const exactDigitsColumn: Column = {
  name: exactColumn,
  type: 'text',
  about: "Exact digits of the numbers of this row that a double can't hold: a JSON object",
};

/** Returns the columns of decimal numbers. */
export function numericColumns({ columns }: Table): Column[] {
  return columns.filter(({ type }) => type === 'numeric');
}

const sqliteTables = new WeakMap<Table, Table>();

/** Returns the table as SQLite has it: if it has decimal numbers, with the column of exact digits at the end. */
export function sqliteTable(table: Table): Table {
  const sqliteForm =
    sqliteTables.get(table) ??
    (numericColumns(table).length === 0
      ? table
      : { ...table, columns: [...table.columns, exactDigitsColumn] });
  sqliteTables.set(table, sqliteForm);
  return sqliteForm;
}

/** Returns rows as SQLite has them: decimal numbers as doubles, and exact digits where a double would lose them. */
export function sqliteRows(table: Table, rows: readonly (readonly Cell[])[]): readonly (readonly Cell[])[] {
  const indexes = table.columns.flatMap(({ type }, at) => (type === 'numeric' ? [at] : []));
  if (indexes.length === 0) return rows;
  return rows.map((row) => {
    const cells = [...row];
    const digits: [name: string, digits: string][] = [];
    for (const at of indexes) {
      const cell = row[at] ?? null;
      cells[at] = doubleOf(cell);
      digits.push([table.columns[at]?.name ?? '', cell === null ? '' : String(cell)]);
    }
    cells.push(exactDigits(digits));
    return cells;
  });
}

/** Returns the nearest double. Digits beyond the range of doubles become infinity. */
export function doubleOf(digits: Cell): number | null {
  return digits === null ? null : Number(digits);
}

/**
 * Returns the content of the exact digits column, given all decimal numbers of a row. An empty text stands for no
 * number.
 */
export function exactDigits(digits: readonly (readonly [name: string, digits: string])[]): string | null {
  const inexact = digits.filter(([, text]) => text !== '' && digitsOf(Number(text)) !== text);
  return inexact.length === 0 ? null : JSON.stringify(Object.fromEntries(inexact));
}

/**
 * Returns a stored row with its decimal numbers as digits. Rows of engines with a decimal type already have digits.
 */
export function withDigits(table: Table, row: StoredRow): StoredRow {
  const columns = numericColumns(table);
  if (columns.length === 0) return row;
  const { [exactColumn]: stored = null, ...own } = row;
  const cells: Record<string, Cell> = own;
  const exact = stored === null ? {} : (JSON.parse(String(stored)) as Record<string, string>);
  for (const { name } of columns) {
    const cell = cells[name];
    if (typeof cell === 'number') cells[name] = exact[name] ?? digitsOf(cell);
  }
  return cells;
}

/** Returns the shortest digits of a double, without an exponent. */
export function digitsOf(number: number): string {
  const text = String(number);
  return text.includes('e') ? (plainDecimal(text) ?? text) : text;
}
