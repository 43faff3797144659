/** Builds the SQL of changes for an engine. Each statement's text is built once. */
import { quoted } from '../../storage/quoted.ts';
import { type Cell, columnNames, idColumn, type Table } from '../schema/table.ts';
import type { Dialect } from './ddl.ts';
import { parameter } from './sql.ts';

/** The statements of one engine. `rows` and `values` are how many a statement takes. */
export interface Statements {
  /**
   * Upserts rows: the values of all rows follow each other, each row's in the order of `columns`; the other columns
   * are null.
   */
  put(table: Table, columns: readonly string[], rows: number): string;
  /** Inserts rows, which is faster. It fails if one of them exists. */
  add(table: Table, columns: readonly string[], rows: number): string;
  drop(table: Table, column: string, values: number): string;
  blank(table: Table, columns: readonly string[]): string;
  clear(table: Table): string;
}

/** Returns the statements of an engine. */
export function statementsOf(dialect: Dialect): Statements {
  const known = new Map<string, string>();
  const cached = (key: string, make: () => string): string => {
    const made = known.get(key) ?? make();
    known.set(key, made);
    return made;
  };
  const parameters = (count: number, before = 0) =>
    `(${Array.from({ length: count }, (_, at) => parameter(dialect, before + at + 1)).join(', ')})`;
  // OR FAIL: SQLite would otherwise keep a copy of what each statement changes, to roll that statement back alone.
  // Here the whole transaction is rolled back in any case.
  const insert = dialect === 'sqlite' ? 'INSERT OR FAIL INTO' : 'INSERT INTO';
  const addingTo = ({ name }: Table, columns: readonly string[], count: number) => {
    const rows = Array.from({ length: count }, (_, at) => parameters(columns.length, at * columns.length));
    return `${insert} ${quoted(name)} (${columns.map(quoted).join(', ')}) VALUES ${rows.join(', ')}`;
  };
  return {
    put: (table, columns, rows) =>
      cached(`put ${table.name} ${rows} ${columns}`, () => {
        const others = columnNames(table).filter((name) => name !== idColumn);
        const set = others.map((name) => `${quoted(name)} = excluded.${quoted(name)}`).join(', ');
        return `${addingTo(table, columns, rows)} ON CONFLICT (${quoted(idColumn)}) DO UPDATE SET ${set}`;
      }),
    add: (table, columns, rows) =>
      cached(`add ${table.name} ${rows} ${columns}`, () => addingTo(table, columns, rows)),
    drop: ({ name }, column, values) =>
      `DELETE FROM ${quoted(name)} WHERE ${quoted(column)} IN ${parameters(values)}`,
    clear: ({ name }) => `DELETE FROM ${quoted(name)}`,
    blank: ({ name }, columns) =>
      `UPDATE ${quoted(name)} SET ${columns.map((column) => `${quoted(column)} = NULL`).join(', ')}`,
  };
}

/**
 * The columns of a table that have had a value so far. A cell that is null in every row need not be sent, and that is
 * a quarter of most records.
 */
interface UsedColumns {
  names: readonly string[];
  /** The indexes of their cells in a row. */
  places: readonly number[];
}

/** Remembers the columns in use. A column stays in use, so that there are few different statements. */
export class ColumnsInUse {
  readonly #known = new Map<string, UsedColumns>();

  /** Returns the columns that have a value in these rows or had one in earlier rows. */
  of({ name, columns }: Table, rows: readonly (readonly Cell[])[]): UsedColumns {
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
