/** Defines the interface of a mirror's storage. Either all changes of a transaction are written, or none. */

import type { Dialect, Sql } from '../../../api/sql/sql.ts';
import type { Parameters } from '../../../base/storage/read-only.ts';
import type { Cell, Table } from '../schema/table.ts';

/** A change in a transaction; the changes are applied in order. */
export type StoreChange =
  /** Adds rows, or replaces those with the same ID. */
  | { kind: 'put'; table: Table; rows: readonly (readonly Cell[])[] }
  /** Deletes the rows whose column has one of the values. */
  | { kind: 'drop'; table: Table; column: string; values: readonly string[] }
  /** Empties columns in all rows. */
  | { kind: 'blank'; table: Table; columns: readonly string[] }
  /** Deletes all rows. */
  | { kind: 'clear'; table: Table };

/** The cells of a stored row by column name. */
export type StoredRow = Readonly<Record<string, Cell>>;

/** A mirror that is open for reading. Another process may write to it. */
export interface Reader {
  /** The name of the mirror in messages: the file, or the URL without a password. */
  readonly label: string;
  readonly dialect: Dialect;
  read(query: Sql): Promise<StoredRow[]>;
  /** Makes all later reads return the current state of the mirror, even if it changes. Call it once per reader. */
  beginSnapshot(): Promise<void>;
  /** Runs one statement of a user and returns its rows. Throws InvalidSql if it can't run. */
  rows(sql: string, parameters: Parameters): Promise<QueryRows>;
  close(): Promise<void>;
}

/** The result of a query. Rows are read on demand. */
export interface QueryRows {
  columns: readonly string[];
  rows: Iterable<readonly Cell[]> | AsyncIterable<readonly Cell[]>;
}

/** A mirror that is open for writing. */
export interface Store extends Omit<Reader, 'rows' | 'beginSnapshot'> {
  /** Writes the changes in one transaction, and retries it after a conflict. */
  write(changes: readonly StoreChange[]): Promise<void>;
  /** Writes the changes and removes all traces of deleted data from boh's files, as far as the engine can. */
  scrub(changes: readonly StoreChange[]): Promise<void>;
}
