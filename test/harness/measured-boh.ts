/** The built program as a process that is measured: what it took of the machine is known once it has ended. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { reportUse, type Used, usedBy } from '../../scripts/bench/used.ts';
import { home, launcherFile } from './spawn-boh.ts';

export interface Measured {
  child: ChildProcessByStdio<null, Readable, Readable>;
  /** To be asked once it has ended. */
  used(): Used;
}

let count = 0;

/** `port` is that of the service on this machine that it asks. What it says has to be read; it ends with the test. */
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
