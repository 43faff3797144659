/** What a mirror is kept in: rows written all at once or not at all, and read back. */
import type { Parameters } from '../../storage/read-only.ts';
import type { Cell, Table } from '../schema/table.ts';
import type { Dialect } from './ddl.ts';
import type { Sql } from './sql.ts';

/** Parts of one transaction, in their order. */
export type Change =
  /** Rows are added, or take the place of those with the same id; `isNew` where there should be none of these. */
  | { kind: 'put'; table: Table; rows: readonly (readonly Cell[])[]; isNew?: boolean }
  /** Rows go whose column holds one of the values. */
  | { kind: 'drop'; table: Table; column: string; values: readonly string[] }
  /** Columns are emptied, in all rows. */
  | { kind: 'blank'; table: Table; columns: readonly string[] }
  /** All rows go. */
  | { kind: 'clear'; table: Table };

export type StoredRow = Readonly<Record<string, Cell>>;

/** What a mirror can be asked, whoever is writing to it meanwhile. */
export interface Reader {
  /** For messages: the file, or the address without a password. */
  readonly called: string;
  readonly dialect: Dialect;
  read(query: Sql): Promise<StoredRow[]>;
  /** From the next `read` on everything is read as it is then, whoever writes meanwhile: once for a reader. */
  standStill(): Promise<void>;
  /** The rows of one statement, whoever wrote it. Throws UnusableSql for what can’t run. */
  rows(sql: string, parameters: Parameters): Promise<Rows>;
  close(): Promise<void>;
}

export interface Rows {
  columns: readonly string[];
  rows: Iterable<readonly Cell[]> | AsyncIterable<readonly Cell[]>;
}

export interface Store extends Omit<Reader, 'rows' | 'standStill'> {
  /**
   * One transaction; where another was in its way, it is tried again. With `isGoingOn` it may be one with what is written
   * next: all of it is for good with the next write that says nothing of the kind, when the store is closed, and within
   * a second at the latest.
   */
  write(changes: readonly Change[], how?: { isGoingOn: boolean }): Promise<void>;
  /** Makes the indexes that tables lack, one statement a transaction: they take less time once many rows are there. */
  index(tables: readonly Table[]): Promise<void>;
  /** The same, and of what goes nothing is left in files that boh keeps, as far as the engine can see to it. */
  scrub(changes: readonly Change[]): Promise<void>;
}
