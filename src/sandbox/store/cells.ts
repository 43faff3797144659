/** Converts between JSON values and cells of the database. */
import type { Field } from '../../contract/field.ts';
import type { Cell, StoredRow } from '../../storage/database.ts';
import { kinds } from '../kinds.ts';

export type { Cell, StoredRow } from '../../storage/database.ts';

/** The cells to write, by the name of the column. */
export type Cells = StoredRow;

export function toCell({ kind }: Field, value: unknown): Cell {
  return value === null || value === undefined ? null : kinds[kind].toCell(value);
}

/**
 * Returns the value of a cell for a response. A field that was never set gets the empty value of its kind, unless the
 * API document allows null.
 */
export function fromCell(field: Field, cell: Cell | undefined): unknown {
  return fromCells(field, [cell])[0];
}

/** Returns the values of many cells of one field, like `fromCell`. Throws `DamagedCell` for an invalid cell. */
export function fromCells({ kind, traits }: Field, cells: readonly (Cell | undefined)[]): unknown[] {
  const { fromCell, emptyValue } = kinds[kind];
  const { nullable, secret } = traits;
  try {
    return cells.map((cell) => {
      if (cell === null || cell === undefined) return nullable ? null : emptyValue();
      return secret ? '****' : fromCell(cell);
    });
  } catch (cause) {
    throw new DamagedCell(`A cell of kind ${kind} has an invalid value.`, { cause });
  }
}

/** Returns the text of a cell without case differences. SQLite's own functions only support ASCII letters. */
export function fold(cell: Cell | undefined): string {
  return String(cell ?? '')
    .normalize('NFC')
    .toLowerCase();
}

/** Thrown for a cell with content that boh can't have written. */
export class DamagedCell extends Error {}
