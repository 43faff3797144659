/** What a single resource does beyond storing its fields. */
import type { FieldMessages } from '../../base/errors.ts';
import type { Context } from '../context.ts';
import type { Cell, Cells, StoredRow } from '../store/cells.ts';

/** A change as it is asked for, before it is made. */
export interface Change {
  /** Undefined where a record is made. */
  before: StoredRow | undefined;
  /** The fields sent, valid in themselves. */
  body: Readonly<Record<string, unknown>>;
}

/** A part of a WHERE clause; `t` is the resource's own table. */
export interface RowTest {
  sql: string;
  cells: Cell[];
  /** Whether there is an index on it, and on the state of records behind it: `store/schema.ts`. */
  isIndexed?: boolean;
}

export interface Rule {
  /** What the sandbox takes filters to mean whose meaning the document doesn't show, by their names. */
  filters?: Readonly<Record<string, (value: string | number | boolean) => RowTest>>;
  /** Columns that answers show beside the fields. */
  alsoShown?: readonly string[];
  /** Cells that the service decides itself when a record is made; they go before what was sent. */
  fill?: (context: Context, cells: Cells) => Cells;
  /** Problems by field, as the end of a sentence: "can't go back". */
  refuse?: (context: Context, change: Change) => FieldMessages;
  /** The same for a link with an address of its own, named by the field that shows it. */
  refuseLink?: (context: Context, field: string, id: string, otherId: string) => FieldMessages;
  /** Why a record can't be deleted. */
  refuseDelete?: (context: Context, row: StoredRow) => FieldMessages;
  /** What follows from a change, within its transaction. */
  follow?: (context: Context, before: StoredRow | undefined, after: StoredRow) => void;
}
