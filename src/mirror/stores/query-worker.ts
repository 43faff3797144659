/**
 * A thread of its own that runs a query of whoever asks: SQLite heeds nothing until it has the next row, and the program
 * has to hear meanwhile that it is to end.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { StorageFailure } from '../../storage/failures.ts';
import { ReadOnly, UnusableSql } from '../../storage/read-only.ts';
import type { Cell } from '../schema/table.ts';
import type { FromThread, QueryTask } from './query-in-thread.ts';
import { formOfReader } from './sqlite-form.ts';

/** As many rows, or as much time in milliseconds, are one message: each takes as long as some rows. */
const enough = { rows: 1000, ms: 100 } as const;

const answer = (message: FromThread) => parentPort?.postMessage(message);

try {
  const { file, version, sql, parameters } = workerData as QueryTask;
  const database = new ReadOnly(formOfReader(file, version));
  const { columns, rows } = database.rows(sql, parameters);
  const walk = rows[Symbol.iterator]();
  answer({ columns });
  parentPort?.on('message', () => guarded(() => answer(next(walk))));
} catch (error) {
  answer(failed(error));
}

function guarded(work: () => void): void {
  try {
    work();
  } catch (error) {
    answer(failed(error));
  }
}

function next(walk: Iterator<Cell[]>): FromThread {
  const found: Cell[][] = [];
  const end = performance.now() + enough.ms;
  while (found.length < enough.rows && performance.now() < end) {
    const { value, done } = walk.next();
    if (done) return { rows: found, isLast: true };
    found.push(value);
  }
  return { rows: found, isLast: false };
}

function failed(error: unknown): FromThread {
  if (error instanceof UnusableSql) return { unusable: error.message };
  if (error instanceof StorageFailure) return { problem: error.problem };
  return { broken: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}
