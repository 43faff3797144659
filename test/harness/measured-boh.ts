/** Runs the built program as a process whose resource usage is measured. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { readUsage, type Usage, usagePreload } from '../../scripts/bench/usage.ts';
import { home, launcherFile } from './spawn-boh.ts';

/** A running program. */
export interface MeasuredProcess {
  child: ChildProcessByStdio<null, Readable, Readable>;
  /** Returns the usage after the process has exited. */
  usage(): Usage;
}

let count = 0;

/** Starts the program with a local server on `port`. The caller must read its output. It is killed at the end of the test. */
export function startMeasured(
  args: readonly string[],
  { port, nodeArgs = [] }: { port: number; nodeArgs?: readonly string[] },
): MeasuredProcess {
  const report = join(home, `usage-${++count}`);
  const child = spawn(process.execPath, [...nodeArgs, '--require', usagePreload, launcherFile, ...args], {
    env: {
      PATH: process.env.PATH,
      HOME: home,
      REPORT: report,
      BOH_TOKEN: 'a-token',
      BOH_BASE_URL: `http://127.0.0.1:${port}`,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, usage: () => readUsage(report) };
}
