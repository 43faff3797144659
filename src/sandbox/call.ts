/** One request on its way through the sandbox: what is asked, by whom, when. */
import type { Operation } from '../contract/operation.ts';
import type { Grant } from './access/tokens.ts';
import type { Context } from './context.ts';
import type { Table } from './store/tables.ts';
import type { Variant } from './variant.ts';

export interface Call extends Context {
  grant: Grant;
  /** What this deployment does where others do otherwise. */
  variant: Variant;
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
