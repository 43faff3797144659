/**
 * Runs schedules in this process, one seed after another up to the first failure, and prints their outcomes as JSON.
 * `--steps` and `--commands` print the events on stderr:
 * `npm run schedules -- SEED... [--count N] [--seconds S] [--resending] [--steps] [--commands]`.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { MessageChannel, Worker } from 'node:worker_threads';
import { createSharedMemory, MachineClock, passToProcess, type Thread, waitForFirstReport } from './baton.ts';
import type { ProcessData } from './process.ts';
import { runSchedule, type ScheduleOutcome } from './schedule.ts';
import { replaceRandom } from './simulated-time.ts';

/** The printed result. */
export interface SchedulesResult {
  schedules: ScheduleOutcome[];
  /** The total of all schedules. */
  steps: number;
  stepsPerMinute: number;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '1' },
    seconds: { type: 'string' },
    resending: { type: 'boolean', default: false },
    steps: { type: 'boolean', default: false },
    commands: { type: 'boolean', default: false },
  },
});
const seeds = positionals.map(Number);
const firstSeed = seeds[0] ?? 1;
const count = values.seconds === undefined ? Number(values.count) : Number.POSITIVE_INFINITY;
const print = (line: string) => process.stderr.write(`${line}\n`);

const folder = mkdtempSync(join(tmpdir(), 'boh-schedules-'));
const shared = createSharedMemory();
const workers: Worker[] = [];
const threads = [0, 1, 2].map(() => startThread());
// This thread must not block until the threads are ready, because it reports failures at their start.
await Promise.all(workers.map((worker) => once(worker, 'message')));
for (const thread of threads) waitForFirstReport(thread);
const seedChance = replaceRandom();
const schedules: ScheduleOutcome[] = [];
const startMs = performance.now();
const deadlineMs = startMs + Number(values.seconds ?? Number.POSITIVE_INFINITY) * 1000;
try {
  for (const seed of seeds.length > 1 ? seeds : numbersFrom(firstSeed, count)) {
    const outcome = await runSchedule(
      { folder, clock: new MachineClock(shared), threads: threads as [Thread, Thread, Thread], seedChance },
      seed,
      {
        isResending: values.resending,
        onStep: values.steps ? print : undefined,
        onEnd: values.commands
          ? ({ actor, argv, ended, faults }) =>
              print(`${actor} $ ${argv.join(' ')}\n  ${JSON.stringify(faults)}\n  ${JSON.stringify(ended)}`)
          : undefined,
      },
    );
    schedules.push(outcome);
    if (outcome.problems.length > 0 || performance.now() > deadlineMs) break;
  }
} finally {
  await Promise.all(workers.map((worker) => worker.terminate()));
  rmSync(folder, { recursive: true, force: true });
}

const steps = schedules.reduce((sum, outcome) => sum + outcome.steps, 0);
const stepsPerMinute = Math.round((steps / (performance.now() - startMs)) * 60_000);
process.stdout.write(`${JSON.stringify({ schedules, steps, stepsPerMinute } satisfies SchedulesResult)}\n`);

function* numbersFrom(first: number, count: number): Generator<number> {
  for (let number = first; number < first + count; number++) yield number;
}

/** Starts a thread. All threads share a clock, and each has its own baton. */
function startThread(): Thread {
  const threadMemory = { ...createSharedMemory(), clock: shared.clock };
  const { port1, port2 } = new MessageChannel();
  passToProcess(threadMemory);
  const workerData: ProcessData = { shared: threadMemory, port: port2, folder };
  const worker = new Worker(new URL('process.ts', import.meta.url), { workerData, transferList: [port2] });
  workers.push(worker);
  return { shared: threadMemory, port: port1 };
}
