/** What a table of the mirror is: columns of five types that every engine has, and a primary key `id`. */
import type { Words } from '../../contract/field.ts';

/** As PostgreSQL calls them. SQLite keeps `timestamptz` as text, and `numeric` as numbers.ts says. */
export type SqlType = 'text' | 'bigint' | 'numeric' | 'boolean' | 'timestamptz';

/**
 * What stands in a table. A `boolean` is 0 or 1, a `numeric` its decimal digits, a `timestamptz` as the API writes it,
 * `YYYY-MM-DD HH:MM:SS` in UTC, a `bigint` beyond the numbers that JavaScript holds exactly its digits.
 */
export type Cell = string | number | null;

export interface Column {
  name: string;
  type: SqlType;
  /** One sentence: what it is, and in which unit. */
  about: string;
  /** The words for its codes: a view has them beside. */
  words?: Words | undefined;
  /** Rows are looked for by it: the record that it leads to shows them, too. */
  isSought?: boolean;
}

export interface Table {
  name: string;
  about: string;
  /** The first is `id`. */
  columns: readonly Column[];
  /** Of a table that belongs to another: the column with the id of the record whose rows these are. */
  owner?: string | undefined;
  /** Of the table of a link: the column with the id of the record at the other end. */
  far?: string | undefined;
}

export const idColumn = 'id';

/** When a record was deleted; nothing where it was not. */
export const deletedColumn = 'deleted_at';

/** What answers show and no column can hold, as a JSON object. */
export const otherColumn = 'other_fields';

/** The number of the last walk over its list that showed the record. */
export const walkColumn = 'mirror_walk';

export function columnNames({ columns }: Table): string[] {
  return columns.map(({ name }) => name);
}
