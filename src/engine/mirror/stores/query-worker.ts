/**
 * Runs a user's query in a thread: SQLite doesn't return before the next row is ready, and the program must be able to
 * handle signals in the meantime.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { StorageFailure } from '../../../base/storage/failures.ts';
import { InvalidSql, ReadOnlyDatabase } from '../../../base/storage/read-only.ts';
import type { Cell } from '../schema/table.ts';
import type { QueryTask, ThreadMessage } from './query-in-thread.ts';
import { readerFormat } from './sqlite-format.ts';

/** The maximum number of rows and of milliseconds for one message: each message costs as much time as several rows. */
const batchLimits = { rows: 1000, ms: 100 } as const;

const post = (message: ThreadMessage) => parentPort?.postMessage(message);

try {
  const { file, sql, parameters } = workerData as QueryTask;
  const database = new ReadOnlyDatabase(readerFormat(file));
  const { columns, rows } = database.rows(sql, parameters);
  const iterator = rows[Symbol.iterator]();
  post({ columns });
  parentPort?.on('message', () => reportErrors(() => post(readBatch(iterator))));
} catch (error) {
  post(failureMessage(error));
}

function reportErrors(work: () => void): void {
  try {
    work();
  } catch (error) {
    post(failureMessage(error));
  }
}

function readBatch(iterator: Iterator<Cell[]>): ThreadMessage {
  const batch: Cell[][] = [];
  const end = performance.now() + batchLimits.ms;
  while (batch.length < batchLimits.rows && performance.now() < end) {
    const { value, done } = iterator.next();
    if (done) return { rows: batch, isLast: true };
    batch.push(value);
  }
  return { rows: batch, isLast: false };
}

function failureMessage(error: unknown): ThreadMessage {
  if (error instanceof InvalidSql) return { invalidSql: error.message };
  if (error instanceof StorageFailure) return { problem: error.problem };
  return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}
