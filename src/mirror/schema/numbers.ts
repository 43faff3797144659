/**
 * Numbers in SQLite, which has no decimal type: a column of doubles, so that queries compare and calculate, and a column
 * beside with the digits of those that a double would change.
 */
import type { StoredRow } from '../stores/store.ts';
import { plainDecimal } from './cell.ts';
import type { Cell, Column, Table } from './table.ts';

/** The column with the digits: a JSON object by the names of columns; nothing where the doubles say it all. */
export const exactColumn = 'exact_numbers';

const exact: Column = {
  name: exactColumn,
  type: 'text',
  about: 'The digits of numbers of this row that a double can’t hold as they were written: a JSON object',
};

/** The columns of decimal numbers. */
export function numericColumns({ columns }: Table): Column[] {
  return columns.filter(({ type }) => type === 'numeric');
}

const known = new WeakMap<Table, Table>();

/** The table as SQLite has it: with the column of digits behind the others, where there are decimal numbers. */
export function inSqlite(table: Table): Table {
  const made =
    known.get(table) ??
    (numericColumns(table).length === 0 ? table : { ...table, columns: [...table.columns, exact] });
  known.set(table, made);
  return made;
}

/** The rows of a table as SQLite has them: digits become doubles, with the digits beside where those would be lost. */
export function rowsInSqlite(table: Table, rows: readonly (readonly Cell[])[]): readonly (readonly Cell[])[] {
  const places = table.columns.flatMap(({ type }, at) => (type === 'numeric' ? [at] : []));
  if (places.length === 0) return rows;
  return rows.map((row) => {
    const cells = [...row];
    const digits: [name: string, digits: string][] = [];
    for (const at of places) {
      const cell = row[at] ?? null;
      cells[at] = numberOf(cell);
      digits.push([table.columns[at]?.name ?? '', cell === null ? '' : String(cell)]);
    }
    cells.push(exactIn(digits));
    return cells;
  });
}

/** The nearest double; digits beyond all of them are infinite. */
export function numberOf(digits: Cell): number | null {
  return digits === null ? null : Number(digits);
}

/** What stands in the column of digits, of all decimal numbers of a row; an empty text is none. */
export function exactIn(digits: readonly (readonly [name: string, digits: string])[]): string | null {
  const lost = digits.filter(([, text]) => text !== '' && digitsOf(Number(text)) !== text);
  return lost.length === 0 ? null : JSON.stringify(Object.fromEntries(lost));
}

/** A row as it was read, with its decimal numbers as digits: those of an engine that has them come so. */
export function withDigits(table: Table, row: StoredRow): StoredRow {
  const columns = numericColumns(table);
  if (columns.length === 0) return row;
  const { [exactColumn]: beside = null, ...own } = row;
  const cells: Record<string, Cell> = own;
  const kept = beside === null ? {} : (JSON.parse(String(beside)) as Record<string, string>);
  for (const { name } of columns) {
    const cell = cells[name];
    if (typeof cell === 'number') cells[name] = kept[name] ?? digitsOf(cell);
  }
  return cells;
}

/** The shortest digits of a double, without an exponent. */
export function digitsOf(number: number): string {
  const text = String(number);
  return text.includes('e') ? (plainDecimal(text) ?? text) : text;
}
