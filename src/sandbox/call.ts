/** One request in the sandbox, after routing: its operation, who sends it, and when. */
import type { Operation } from '../contract/operation.ts';
import type { Grant } from './access/tokens.ts';
import type { Context } from './context.ts';
import type { Table } from './store/tables.ts';
import type { Variant } from './variant.ts';

/** What an operation needs to answer a request. */
export interface Call extends Context {
  grant: Grant;
  /** How this deployment differs from others. */
  variant: Variant;
  operation: Operation;
  /** The table of the operation's resource. */
  table: Table;
  /** The ids in the path, in order. */
  ids: readonly string[];
  query: ReadonlyMap<string, string>;
  /** The fields that were sent; empty for operations without a body. */
  body: Readonly<Record<string, unknown>>;
  /** The URL of the resource's list, for links to pages. */
  address: string;
}
