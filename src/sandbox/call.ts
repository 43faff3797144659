/** One request on its way through the sandbox: what is asked, by whom, when. */
import type { Operation } from '../contract/operation.ts';
import type { Grant } from './access/tokens.ts';
import type { Database } from './store/database.ts';
import type { Table } from './store/tables.ts';

export interface Call {
  database: Database;
  /** By the sandbox's clock, in milliseconds since 1970. */
  now: number;
  grant: Grant;
  operation: Operation;
  /** The table of the operation's resource. */
  table: Table;
  /** The ids in the path, in order. */
  ids: readonly string[];
  query: ReadonlyMap<string, string>;
  /** The fields sent; empty for operations that send none. */
  body: Readonly<Record<string, unknown>>;
  /** Where the resource's list is, for the links of pages. */
  address: string;
}
