/**
 * The thread that runs a user's query: SQLite doesn't return before the next row is ready, and the program must stay
 * able to handle signals meanwhile.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { StorageFailure } from '../../storage/failures.ts';
import { InvalidSql, ReadOnlyDatabase } from '../../storage/read-only.ts';
import type { Cell } from '../schema/table.ts';
import type { FromThread, QueryTask } from './query-in-thread.ts';
import { readerForm } from './sqlite-form.ts';

/** The maximum number of rows and of milliseconds for one message: a message costs as much as several rows. */
const batchLimits = { rows: 1000, ms: 100 } as const;

const answer = (message: FromThread) => parentPort?.postMessage(message);

try {
  const { file, version, sql, parameters } = workerData as QueryTask;
  const database = new ReadOnlyDatabase(readerForm(file, version));
  const { columns, rows } = database.rows(sql, parameters);
  const iterator = rows[Symbol.iterator]();
  answer({ columns });
  parentPort?.on('message', () => guarded(() => answer(next(iterator))));
} catch (error) {
  answer(failureMessage(error));
}

function guarded(work: () => void): void {
  try {
    work();
  } catch (error) {
    answer(failureMessage(error));
  }
}

function next(iterator: Iterator<Cell[]>): FromThread {
  const found: Cell[][] = [];
  const end = performance.now() + batchLimits.ms;
  while (found.length < batchLimits.rows && performance.now() < end) {
    const { value, done } = iterator.next();
    if (done) return { rows: found, isLast: true };
    found.push(value);
  }
  return { rows: found, isLast: false };
}

function failureMessage(error: unknown): FromThread {
  if (error instanceof InvalidSql) return { unusable: error.message };
  if (error instanceof StorageFailure) return { problem: error.problem };
  return { broken: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}
