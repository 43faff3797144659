/** Where the lists stand of which tables are made: in a record itself, or in the nested records of one of its lists. */
import type { Api } from '../../contract/api.ts';
import type { Column } from './table.ts';

export interface Within {
  api: Api;
  /** Of dotted names. */
  prefix: string;
  /** The table whose rows they belong to. */
  table: string;
  /** The column with the id of the record that all of it belongs to. */
  owner: Column;
  /** Between that record and the list: the column with the id of the nested record. */
  parent?: Column;
  hidden(path: string): boolean;
  /** The field of a record that all of it is in. */
  top?: string;
  /** The records that hold the list, in one record of the resource; undefined where the answer doesn’t show them. */
  items(record: Readonly<Record<string, unknown>>): readonly Item[] | undefined;
}

export interface Item {
  id: string;
  record: Record<string, unknown>;
  /** The id of the record that it is part of. */
  owner: string;
}
