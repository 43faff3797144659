/** The columns of a table that have held anything so far: a cell that is empty in every row need not be sent along, and of most records a quarter is. */
import type { Cell, Table } from '../schema/table.ts';

export interface InUse {
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
