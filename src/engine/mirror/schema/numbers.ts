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

export function numericColumns({ columns }: Table): Column[] {
  return columns.filter(({ type }) => type === 'numeric');
}

const sqliteTables = new WeakMap<Table, Table>();

/** Returns the table as it is stored in SQLite: if it has decimal numbers, with the column of exact digits at the end. */
export function sqliteTable(table: Table): Table {
  const tableInSqlite =
    sqliteTables.get(table) ??
    (numericColumns(table).length === 0
      ? table
      : { ...table, columns: [...table.columns, exactDigitsColumn] });
  sqliteTables.set(table, tableInSqlite);
  return tableInSqlite;
}

/** Returns rows as they are stored in SQLite: decimal numbers as doubles, and the exact digits that a double would lose. */
export function sqliteRows(table: Table, rows: readonly (readonly Cell[])[]): readonly (readonly Cell[])[] {
  const indexes = table.columns.flatMap(({ type }, index) => (type === 'numeric' ? [index] : []));
  if (indexes.length === 0) return rows;
  return rows.map((row) => {
    const cells = [...row];
    const digits: [name: string, digits: string][] = [];
    for (const index of indexes) {
      const cell = row[index] ?? null;
      cells[index] = toDouble(cell);
      digits.push([table.columns[index]?.name ?? '', cell === null ? '' : String(cell)]);
    }
    cells.push(exactDigits(digits));
    return cells;
  });
}

/** Returns the nearest double. Digits beyond the range of doubles become infinity. */
function toDouble(digits: Cell): number | null {
  return digits === null ? null : Number(digits);
}

/**
 * Returns the content of the column of exact digits for all decimal numbers of a row. An empty string means no number.
 */
function exactDigits(digits: readonly (readonly [name: string, digits: string])[]): string | null {
  const inexactDigits = digits.filter(([, text]) => text !== '' && digitsOf(Number(text)) !== text);
  return inexactDigits.length === 0 ? null : JSON.stringify(Object.fromEntries(inexactDigits));
}

/**
 * Returns a stored row with its decimal numbers as digits. Rows of engines with a decimal type already have digits.
 */
export function withDigits(table: Table, row: StoredRow): StoredRow {
  const columns = numericColumns(table);
  if (columns.length === 0) return row;
  const { [exactColumn]: exactJson = null, ...otherCells } = row;
  const cells: Record<string, Cell> = otherCells;
  const exactDigitsByName =
    exactJson === null ? {} : (JSON.parse(String(exactJson)) as Record<string, string>);
  for (const { name } of columns) {
    const cell = cells[name];
    if (typeof cell === 'number') cells[name] = exactDigitsByName[name] ?? digitsOf(cell);
  }
  return cells;
}

/** Returns the shortest digits of a double, without an exponent. */
export function digitsOf(number: number): string {
  const text = String(number);
  return text.includes('e') ? (plainDecimal(text) ?? text) : text;
}
