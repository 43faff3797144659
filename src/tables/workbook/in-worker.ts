/** A workbook read or written in a thread of its own, that is ended when it takes too much time or memory. */
import { getAsset, isSea } from 'node:sea';
import { Worker } from 'node:worker_threads';
import type { Answer, ReadTask, WriteTask } from './messages.ts';

/** In megabytes, of which 50,000 rows of 25 columns take about two thirds. */
const mostMemory = 1024;
/** In milliseconds: 50,000 rows take about five seconds. */
const mostTime = 120_000;

/** Put in by the build, where the thread has a file of its own. */
declare const BOH_WORKBOOK_WORKER: string | undefined;

const script = typeof BOH_WORKBOOK_WORKER === 'string' ? BOH_WORKBOOK_WORKER : './worker.ts';

export type Ended = Answer | { exhausted: 'time' | 'memory' };

/** Never throws: what went wrong is in the answer. */
export function inWorker(task: ReadTask | WriteTask): Promise<Ended> {
  return new Promise((resolve) => {
    const worker = new Worker(place(), {
      eval: isSea(),
      workerData: task,
      resourceLimits: { maxOldGenerationSizeMb: mostMemory },
      execArgv: [],
      env: {},
      // What the library has to say is for nobody.
      stdout: true,
      stderr: true,
    });
    const end = (answer: Ended) => {
      clearTimeout(timer);
      resolve(answer);
      void worker.terminate();
    };
    const timer = setTimeout(() => end({ exhausted: 'time' }), mostTime);
    worker.once('message', end);
    worker.once('error', (error: Error & { code?: string }) =>
      end(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? { exhausted: 'memory' } : { broken: error.message }),
    );
    worker.once('exit', () => end({ broken: 'the thread that read it ended' }));
  });
}

/** A single executable has no files: what starts the thread is text in it (scripts/build-executable.ts). */
function place(): string | URL {
  return isSea() ? getAsset('workbook-worker', 'utf8') : new URL(script, import.meta.url);
}
