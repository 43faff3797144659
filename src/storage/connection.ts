/** Settings of a SQLite connection: durability, waiting for locks, and checkpoints of the log. */
import type { FileDescription } from './failures.ts';

/** A value in SQL. */
export type Cell = string | number | null;

/** A row of a table: cells by column name. */
export type StoredRow = Readonly<Record<string, Cell>>;

/** A file and the settings of its connection. */
export interface ConnectionSettings extends FileDescription {
  /**
   * What a committed write survives. `process`: the crash of a process, but a power failure may lose the last writes.
   * `power`: also a power failure, at the cost of a disk sync for each write.
   */
  durability: 'process' | 'power';
  /**
   * How long a statement waits for another process, in milliseconds. The wait blocks the whole
   * process; with other work to do, use 0 and `retryWhileBusy`.
   */
  busyTimeoutMs: number;
  /** The number of pages in the log before a checkpoint, which needs a disk sync; the default is SQLite's 1000. */
  checkpointPages?: number | undefined;
  /** Deterministic functions that SQL can call by these names. */
  functions: Readonly<Record<string, (...cells: Cell[]) => Cell>>;
}
