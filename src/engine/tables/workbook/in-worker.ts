/** Reads or writes a workbook in a worker thread, which is terminated if it takes too much time or memory. */
import { getAsset, isSea } from 'node:sea';
import { Worker } from 'node:worker_threads';
import type { ReadTask, WorkerResult, WriteTask } from './messages.ts';

/** The memory limit in MB. 50,000 rows of 25 columns take about two thirds of it. */
const maxMemoryMb = 1024;
/** The time limit in milliseconds. 50,000 rows take about five seconds. */
const maxTimeMs = 120_000;

/** Defined by the build, which writes the code of the thread to a separate file. */
declare const BOH_WORKBOOK_WORKER: string | undefined;

const script = typeof BOH_WORKBOOK_WORKER === 'string' ? BOH_WORKBOOK_WORKER : './worker.ts';

export type TaskResult = WorkerResult | { exhausted: 'time' | 'memory' };

/** Runs a task. Never throws: errors are in the result. */
export function runInWorker(task: ReadTask | WriteTask): Promise<TaskResult> {
  return new Promise((resolve) => {
    const worker = new Worker(workerCode(), {
      eval: isSea(),
      workerData: task,
      resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb },
      execArgv: [],
      env: {},
      // The output of the library is discarded.
      stdout: true,
      stderr: true,
    });
    const finish = (result: TaskResult) => {
      clearTimeout(timer);
      resolve(result);
      void worker.terminate();
    };
    const timer = setTimeout(() => finish({ exhausted: 'time' }), maxTimeMs);
    worker.once('message', finish);
    worker.once('error', (error: Error & { code?: string }) =>
      finish(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? { exhausted: 'memory' } : { broken: error.message }),
    );
    worker.once('exit', () => finish({ broken: 'the worker thread stopped' }));
  });
}

/** Returns the code of the thread. A single executable contains it as text (scripts/build-executable.ts). */
function workerCode(): string | URL {
  return isSea() ? getAsset('workbook-worker', 'utf8') : new URL(script, import.meta.url);
}
