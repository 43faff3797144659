/** Describes a table of the mirror: columns of five types that every engine has, and the primary key `id`. */
import type { Words } from '../../../api/contract/field.ts';

/**
 * The column types, by PostgreSQL's names. SQLite stores `timestamptz` as text; numbers.ts defines how it stores
 * `numeric`.
 */
export type SqlType = 'text' | 'bigint' | 'numeric' | 'boolean' | 'timestamptz';

/**
 * A value in a table. A `boolean` is 0 or 1; a `numeric` is its decimal digits; a `timestamptz` is `YYYY-MM-DD
 * HH:MM:SS` in UTC, as in the API; a `bigint` that JavaScript can't represent exactly is its digits.
 */
export type Cell = string | number | null;

export interface Column {
  name: string;
  type: SqlType;
  /** One sentence that describes the content and its unit. */
  about: string;
  /** The words for its codes, which a view contains next to the codes. */
  words?: Words | undefined;
  /** Whether it has an index, because list queries search by it. */
  isIndexed?: boolean;
  /** The table whose IDs it contains. */
  references?: string | undefined;
  /** What an upsert keeps of an existing row: its value (`first`), or its value if the new one is null (`known`). */
  keeps?: 'first' | 'known';
}

export interface Table {
  name: string;
  about: string;
  /** The columns; the first is `id`. */
  columns: readonly Column[];
  /** The resource whose list its rows come from; such a table has versions. */
  resource?: string | undefined;
  /** For a table that belongs to a record's table: the column with the record's ID. */
  owner?: string | undefined;
  /** For a link table: the column with the ID of the linked record. */
  linked?: string | undefined;
}

/** The primary key of every table. */
export const idColumn = 'id';

/** The column with the time at which a record was deleted; null for an active record. */
export const deletedColumn = 'deleted_at';

/** The column with the data of a response that has no other column: a JSON object. */
export const otherColumn = 'other_fields';

/** The column with the number of the last complete reading of the list that returned the record. */
export const readingColumn = 'mirror_walk';

/** Returns the names of a table's columns, in their order. */
export function columnNames({ columns }: Table): string[] {
  return columns.map(({ name }) => name);
}
