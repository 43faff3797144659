/** How a file of SQLite is used: what an acknowledged write outlasts, how long others are waited for, and when the log is moved. */
import type { Naming } from './failures.ts';

export type Cell = string | number | null;

/** As a table gives it: cells by column name. */
export type StoredRow = Readonly<Record<string, Cell>>;

export interface Connection extends Naming {
  /**
   * What an acknowledged write outlasts. `process`: the end of any process, however it comes; the last moments
   * before a power cut may go. `power`: that too, for a wait for the disk with each write.
   */
  durability: 'process' | 'power';
  /**
   * How long a statement waits for another process, in milliseconds. The whole process stands still meanwhile: where
   * it has more to do, 0 and `Turns`.
   */
  wait: number;
  /**
   * Bytes of the log that stay beside the file when the last process closes it: to move it into the file waits for the
   * disk several times. Larger ones are moved; without a figure, any.
   */
  keptLog?: number | undefined;
  /** Pages that the log grows by before they are moved into the file, which waits for the disk; SQLite’s own 1000 unless given. */
  pagesInLog?: number | undefined;
  /** Callable in SQL by these names. They answer the same for the same, always. */
  functions: Readonly<Record<string, (...cells: Cell[]) => Cell>>;
}
