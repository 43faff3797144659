/** Runs the built program as a process whose resource usage is measured. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { reportUse, type Used, usedBy } from '../../scripts/bench/used.ts';
import { home, launcherFile } from './spawn-boh.ts';

export interface Measured {
  child: ChildProcessByStdio<null, Readable, Readable>;
  /** Returns the usage. To be called after the process has ended. */
  used(): Used;
}

let count = 0;

/** Starts the program. `port` is that of the local service it uses. Its output has to be read; it ends with the test. */
export function startMeasured(
  words: readonly string[],
  { port, nodeArgs = [] }: { port: number; nodeArgs?: readonly string[] },
): Measured {
  const report = join(home, `use-${++count}`);
  const child = spawn(process.execPath, [...nodeArgs, '--require', reportUse, launcherFile, ...words], {
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
  return { child, used: () => usedBy(report) };
}
