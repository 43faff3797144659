/** Defines what a resource can do in addition to storing its fields. */
import type { FieldMessages } from '../../base/errors.ts';
import type { Context } from '../context.ts';
import type { Cell, Cells, StoredRow } from '../store/cells.ts';

/** A requested change. */
export interface RequestedChange {
  /** The record before an update; undefined for a new record. */
  before: StoredRow | undefined;
  /** The fields sent; each is valid by itself. */
  body: Readonly<Record<string, unknown>>;
}

/** A condition of a WHERE clause; `t` is the resource's own table. */
export interface FilterCondition {
  sql: string;
  cells: Cell[];
  /** Whether an index covers it, followed by the state of records (`store/schema.ts`). */
  isIndexed?: boolean;
}

/** The rule of one resource. */
export interface ResourceRule {
  /** Filters whose meaning the document doesn't define, by name. */
  filters?: Readonly<Record<string, (value: string | number | boolean) => FilterCondition>>;
  /** Columns that responses show in addition to the fields. */
  extraColumns?: readonly string[];
  /** Returns cells that the service sets itself for a new record; they override what was sent. */
  initialCells?: (context: Context, cells: Cells) => Cells;
  /** Returns problems by field, as the end of a sentence: "can't go back". */
  changeProblems?: (context: Context, change: RequestedChange) => FieldMessages;
  /** Returns the problems of a link that has its own path, by the field that shows it. */
  linkProblems?: (context: Context, field: string, id: string, otherId: string) => FieldMessages;
  /** Returns why a record can't be deleted. */
  deleteProblems?: (context: Context, row: StoredRow) => FieldMessages;
  /** Applies the consequences of a change, within its transaction. */
  applyEffects?: (context: Context, before: StoredRow | undefined, after: StoredRow) => void;
}
