/** A query of whoever asks, run in a thread of its own: however long it takes, the program can be told to end. */
import { getAsset, isSea } from 'node:sea';
import { Worker } from 'node:worker_threads';
import { StorageFailure, type StorageProblem } from '../../storage/failures.ts';
import { type Parameters, UnusableSql } from '../../storage/read-only.ts';
import type { Cell } from '../schema/table.ts';
import { namingOfMirror } from './sqlite-form.ts';
import type { Rows } from './store.ts';

/** Put in by the build, where the thread has a file of its own. */
declare const BOH_QUERY_WORKER: string | undefined;

const script = typeof BOH_QUERY_WORKER === 'string' ? BOH_QUERY_WORKER : './query-worker.ts';

/** Throws UnusableSql for what can’t run, and a StorageFailure. */
export async function queryInThread(task: QueryTask): Promise<Rows> {
  const thread = new Thread(task);
  try {
    const { columns } = await thread.answer('columns');
    return { columns, rows: thread.rows() };
  } catch (error) {
    thread.end();
    throw error;
  }
}

class Thread {
  readonly #worker: Worker;
  readonly #file: string;
  #arrived = Promise.withResolvers<FromThread>();

  constructor(task: QueryTask) {
    this.#file = task.file;
    this.#worker = new Worker(place(), { eval: isSea(), workerData: task, execArgv: [], env: {} });
    this.#worker.on('message', (message: FromThread) => this.#arrived.resolve(message));
    this.#worker.once('error', (error) => this.#arrived.reject(error));
    this.#worker.once('exit', () => this.#arrived.reject(new Error('the thread of the query ended')));
    // Where nobody asks any more, nobody is told.
    this.#arrived.promise.catch(() => {});
  }

  /** Nothing is read before it is asked for, so that no more than that is held. */
  async *rows(): AsyncGenerator<readonly Cell[]> {
    try {
      for (let isLast = false; !isLast; ) {
        this.#arrived = Promise.withResolvers();
        this.#worker.postMessage('more');
        const answered = await this.answer('rows');
        isLast = answered.isLast;
        yield* answered.rows;
      }
    } finally {
      this.end();
    }
  }

  async answer<Name extends 'columns' | 'rows'>(
    name: Name,
  ): Promise<Extract<FromThread, Record<Name, unknown>>> {
    const message = await this.#arrived.promise;
    if (name in message) return message as Extract<FromThread, Record<Name, unknown>>;
    if ('unusable' in message) throw new UnusableSql(message.unusable);
    if ('problem' in message) throw new StorageFailure(message.problem, namingOfMirror(this.#file));
    throw new Error('broken' in message ? message.broken : 'the thread answered something else');
  }

  end(): void {
    void this.#worker.terminate();
  }
}

/** A single executable has no files: what starts the thread is text in it (scripts/build-executable.ts). */
function place(): string | URL {
  return isSea() ? getAsset('query-worker', 'utf8') : new URL(script, import.meta.url);
}

/** What a thread that runs a query is told, and what it answers. */
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
