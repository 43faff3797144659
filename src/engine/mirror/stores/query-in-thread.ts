/**
 * Runs a user's query in a separate thread, so that the program can be interrupted while the query runs.
 */
import { getAsset, isSea } from 'node:sea';
import { Worker } from 'node:worker_threads';
import { StorageFailure, type StorageProblem } from '../../../base/storage/failures.ts';
import { InvalidSql, type Parameters } from '../../../base/storage/read-only.ts';
import type { Cell } from '../schema/table.ts';
import { describeMirrorFile } from './sqlite-format.ts';
import type { QueryRows } from './store.ts';

/** The file of the thread. The build sets it if the thread has a separate file. */
declare const BOH_QUERY_WORKER: string | undefined;

const workerFile = typeof BOH_QUERY_WORKER === 'string' ? BOH_QUERY_WORKER : './query-worker.ts';

/** Runs the query. Throws InvalidSql if it is invalid, and StorageFailure if the file can't be read. */
export async function queryInThread(task: QueryTask): Promise<QueryRows> {
  const thread = new QueryThread(task);
  try {
    const { columns } = await thread.receive('columns');
    return { columns, rows: thread.rows() };
  } catch (error) {
    thread.end();
    throw error;
  }
}

class QueryThread {
  readonly #worker: Worker;
  readonly #file: string;
  #message = Promise.withResolvers<ThreadMessage>();

  constructor(task: QueryTask) {
    this.#file = task.file;
    this.#worker = new Worker(workerCode(), { eval: isSea(), workerData: task, execArgv: [], env: {} });
    this.#worker.on('message', (message: ThreadMessage) => this.#message.resolve(message));
    this.#worker.once('error', (error) => this.#message.reject(error));
    this.#worker.once('exit', () => this.#message.reject(new Error('the query thread ended')));
    // A rejection that no one waits for must not end the process.
    this.#message.promise.catch(() => {});
  }

  /** Yields the rows. Requests them from the thread on demand, so that only one batch is in memory. */
  async *rows(): AsyncGenerator<readonly Cell[]> {
    try {
      for (let isLast = false; !isLast; ) {
        this.#message = Promise.withResolvers();
        this.#worker.postMessage('more');
        const message = await this.receive('rows');
        isLast = message.isLast;
        yield* message.rows;
      }
    } finally {
      this.end();
    }
  }

  async receive<Name extends 'columns' | 'rows'>(
    name: Name,
  ): Promise<Extract<ThreadMessage, Record<Name, unknown>>> {
    const message = await this.#message.promise;
    if (name in message) return message as Extract<ThreadMessage, Record<Name, unknown>>;
    if ('invalidSql' in message) throw new InvalidSql(message.invalidSql);
    if ('problem' in message) throw new StorageFailure(message.problem, describeMirrorFile(this.#file));
    throw new Error('error' in message ? message.error : 'unexpected message from the query thread');
  }

  end(): void {
    void this.#worker.terminate();
  }
}

/**
 * Returns the thread's code. A single executable has no files, so it contains the code as text
 * (scripts/build-executable.ts).
 */
function workerCode(): string | URL {
  return isSea() ? getAsset('query-worker', 'utf8') : new URL(workerFile, import.meta.url);
}

/** The query that the thread runs. */
export interface QueryTask {
  file: string;
  sql: string;
  parameters: Parameters;
}

/** The messages of the thread: first the columns, then rows for each request. */
export type ThreadMessage =
  | { columns: string[] }
  | { rows: Cell[][]; isLast: boolean }
  /** SQLite's message about SQL that can't run. */
  | { invalidSql: string }
  | { problem: StorageProblem }
  | { error: string };
