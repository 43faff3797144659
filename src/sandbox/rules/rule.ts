/** Defines the rules that resources can have in addition to storing their fields. */

import type { Sql } from '../../api/sql/sql.ts';
import type { FieldMessages } from '../../base/errors.ts';
import type { StoredRow } from '../../base/storage/database.ts';
import type { Context } from '../context.ts';
import type { Cells } from '../kinds.ts';

export interface RequestedChange {
  /** The record before an update; undefined for a new record. */
  before: StoredRow | undefined;
  /** The sent fields, each of which has a valid value. */
  body: Readonly<Record<string, unknown>>;
}

export interface ResourceRule {
  /** The conditions of filters whose meaning the API document doesn't define, by name; `t` is the resource's table. */
  filters?: Readonly<Record<string, (value: string | number | boolean) => Sql>>;
  /** The columns that responses contain in addition to the fields. */
  extraColumns?: readonly string[];
  /** Returns the cells that the service sets for a new record. They override sent values. */
  initialCells?: (context: Context, cells: Cells) => Cells;
  /** Returns the problems of a change by field. Each is the end of a sentence, such as "can't change from 2 to 1". */
  changeProblems?: (context: Context, change: RequestedChange) => FieldMessages;
  /** Returns the problems of a link that is written by its own path. */
  linkProblems?: (context: Context, field: string, id: string, otherId: string) => FieldMessages;
  /** Returns the reasons why a record can't be deleted. */
  deleteProblems?: (context: Context, row: StoredRow) => FieldMessages;
  /** Applies the effects of a change, in the same transaction. */
  applyEffects?: (context: Context, before: StoredRow | undefined, after: StoredRow) => void;
}
