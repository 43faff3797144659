/** What a thread that runs a query is told, and what it answers. */
import type { StorageProblem } from '../../storage/failures.ts';
import type { Parameters } from '../../storage/read-only.ts';
import type { Cell } from '../schema/table.ts';

export interface QueryTask {
  file: string;
  /** The latest version that can be read. */
  version: number;
  sql: string;
  parameters: Parameters;
}

/** The columns first; then rows, each time it is asked for more. */
export type FromThread =
  | { columns: string[] }
  | { rows: Cell[][]; isLast: boolean }
  /** What SQLite says of SQL that can’t run. */
  | { unusable: string }
  | { problem: StorageProblem }
  | { broken: string };
