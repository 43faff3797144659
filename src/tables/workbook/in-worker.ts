/** Reads or writes a workbook in a worker thread, which is ended if it takes too much time or memory. */
import { getAsset, isSea } from 'node:sea';
import { Worker } from 'node:worker_threads';
import type { Answer, ReadTask, WriteTask } from './messages.ts';

/** The memory limit. 50,000 rows of 25 columns take about two thirds of it. */
const maxMemoryMb = 1024;
/** The time limit. 50,000 rows take about five seconds. */
const maxTimeMs = 120_000;

/** Defined by the build, which has a separate file for the thread. */
declare const BOH_WORKBOOK_WORKER: string | undefined;

const script = typeof BOH_WORKBOOK_WORKER === 'string' ? BOH_WORKBOOK_WORKER : './worker.ts';

/** The outcome of a task. */
export type Ended = Answer | { exhausted: 'time' | 'memory' };

/** Runs a task. Never throws: errors are in the answer. */
export function inWorker(task: ReadTask | WriteTask): Promise<Ended> {
  return new Promise((resolve) => {
    const worker = new Worker(place(), {
      eval: isSea(),
      workerData: task,
      resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb },
      execArgv: [],
      env: {},
      // The output of the library is discarded.
      stdout: true,
      stderr: true,
    });
    const end = (answer: Ended) => {
      clearTimeout(timer);
      resolve(answer);
      void worker.terminate();
    };
    const timer = setTimeout(() => end({ exhausted: 'time' }), maxTimeMs);
    worker.once('message', end);
    worker.once('error', (error: Error & { code?: string }) =>
      end(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? { exhausted: 'memory' } : { broken: error.message }),
    );
    worker.once('exit', () => end({ broken: 'the thread that read it ended' }));
  });
}

/** Returns the script of the thread. A single executable contains it as text (scripts/build-executable.ts). */
function place(): string | URL {
  return isSea() ? getAsset('workbook-worker', 'utf8') : new URL(script, import.meta.url);
}
