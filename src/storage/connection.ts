/** Settings of a SQLite connection: durability, waiting for locks, and checkpoints of the log. */
import type { Naming } from './failures.ts';

export type Cell = string | number | null;

/** A row of a table: cells by column name. */
export type StoredRow = Readonly<Record<string, Cell>>;

export interface Connection extends Naming {
  /**
   * What an acknowledged write survives. `process`: the crash of a process, but a power cut may lose the last writes.
   * `power`: also a power cut, at the cost of a disk sync with each write.
   */
  durability: 'process' | 'power';
  /**
   * How long a statement waits for another process, in milliseconds. It blocks the whole process; if there is other work
   * to do, use 0 and `Turns`.
   */
  wait: number;
  /**
   * The largest log in bytes that stays when the last process closes the file, because a checkpoint needs several disk
   * syncs. Larger logs are checkpointed; without a value, all are.
   */
  keptLog?: number | undefined;
  /** Pages in the log before a checkpoint, which needs a disk sync; the default is SQLite's 1000. */
  pagesInLog?: number | undefined;
  /** Deterministic functions that SQL can call by these names. */
  functions: Readonly<Record<string, (...cells: Cell[]) => Cell>>;
}
