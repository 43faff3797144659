/** The SQL of changes for the engine at hand; each form of a statement is made once. */
import { quoted } from '../../storage/quoted.ts';
import { type Cell, columnNames, idColumn, type Table } from '../schema/table.ts';
import type { Dialect } from './ddl.ts';
import { parameter } from './sql.ts';

export interface Statements {
  /** The values of all rows follow each other, those of each in the order of the columns; the other columns hold nothing. */
  put(table: Table, columns: readonly string[], rows: number): string;
  /** The same where none of the rows is there, which is less to do; it fails where one is. */
  add(table: Table, columns: readonly string[], rows: number): string;
  drop(table: Table, column: string, values: number): string;
  blank(table: Table, columns: readonly string[]): string;
  clear(table: Table): string;
}

export function statementsOf(dialect: Dialect): Statements {
  const known = new Map<string, string>();
  const once = (key: string, make: () => string): string => {
    const made = known.get(key) ?? make();
    known.set(key, made);
    return made;
  };
  const parameters = (count: number, before = 0) =>
    `(${Array.from({ length: count }, (_, at) => parameter(dialect, before + at + 1)).join(', ')})`;
  // SQLite would keep what was there before each statement, to take back that one alone: all that goes with it is
  // taken back in any case.
  const insert = dialect === 'sqlite' ? 'INSERT OR FAIL INTO' : 'INSERT INTO';
  const addingTo = ({ name }: Table, columns: readonly string[], count: number) => {
    const rows = Array.from({ length: count }, (_, at) => parameters(columns.length, at * columns.length));
    return `${insert} ${quoted(name)} (${columns.map(quoted).join(', ')}) VALUES ${rows.join(', ')}`;
  };
  return {
    put: (table, columns, rows) =>
      once(`put ${table.name} ${rows} ${columns}`, () => {
        const others = columnNames(table).filter((name) => name !== idColumn);
        const set = others.map((name) => `${quoted(name)} = excluded.${quoted(name)}`).join(', ');
        return `${addingTo(table, columns, rows)} ON CONFLICT (${quoted(idColumn)}) DO UPDATE SET ${set}`;
      }),
    add: (table, columns, rows) =>
      once(`add ${table.name} ${rows} ${columns}`, () => addingTo(table, columns, rows)),
    drop: ({ name }, column, values) =>
      `DELETE FROM ${quoted(name)} WHERE ${quoted(column)} IN ${parameters(values)}`,
    clear: ({ name }) => `DELETE FROM ${quoted(name)}`,
    blank: ({ name }, columns) =>
      `UPDATE ${quoted(name)} SET ${columns.map((column) => `${quoted(column)} = NULL`).join(', ')}`,
  };
}

/** The columns of a table that have held anything so far: a cell that is empty in every row need not be sent along, and of most records a quarter is. */
interface InUse {
  names: readonly string[];
  /** Where their cells stand in a row. */
  places: readonly number[];
}

/** A column stays in use once it is, so that there are few forms of a statement. */
export class ColumnsInUse {
  readonly #known = new Map<string, InUse>();

  /** Those that hold something in these rows, or did in rows before. */
  of({ name, columns }: Table, rows: readonly (readonly Cell[])[]): InUse {
    const before = this.#known.get(name) ?? { names: [], places: [] };
    if (before.places.length === columns.length) return before;
    const isIn = new Set(before.places);
    for (const row of rows) {
      for (let place = 0; place < row.length; place++) {
        if (row[place] !== null && !isIn.has(place)) isIn.add(place);
      }
    }
    if (isIn.size === before.places.length) return before;
    const places = [...columns.keys()].filter((place) => isIn.has(place));
    const now = { places, names: places.map((place) => columns[place]?.name ?? '') };
    this.#known.set(name, now);
    return now;
  }
}
