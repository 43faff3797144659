/** Between a value as it stands in the JSON and a cell of the database. */
import type { Field } from '../../contract/field.ts';
import type { Cell, StoredRow } from '../../storage/database.ts';
import { kinds } from '../kinds.ts';

export type { Cell, StoredRow } from '../../storage/database.ts';

/** What is to be written: the columns that are named. */
export type Cells = StoredRow;

export function toCell({ kind }: Field, value: unknown): Cell {
  return value === null || value === undefined ? null : kinds[kind].toCell(value);
}

/**
 * A cell as answers show it. A field that was never given and can't be null by the document is answered
 * with the empty value of its kind.
 */
export function fromCell(field: Field, cell: Cell | undefined): unknown {
  return fromCells(field, [cell])[0];
}

/** The same for those of many rows. */
export function fromCells({ kind, traits }: Field, cells: readonly (Cell | undefined)[]): unknown[] {
  const { fromCell, empty } = kinds[kind];
  const { nullable, secret } = traits;
  try {
    return cells.map((cell) => {
      if (cell === null || cell === undefined) return nullable ? null : empty();
      return secret ? '****' : fromCell(cell);
    });
  } catch (cause) {
    throw new DamagedCell(`A cell that is to hold ${kind} holds something else.`, { cause });
  }
}

/** A cell that holds what was never written there. */
export class DamagedCell extends Error {}
