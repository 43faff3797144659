/**
 * `npm run bench:signals`: measures the time from SIGINT to the end of the process, in the situations of
 * test/cli/signals-and-deadlines.test.ts. Prints the median of five rounds in milliseconds; the documented maximum is a second.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from '../root.ts';

const roundCount = 5;

/** The time after which a run waits, on an idle machine. */
const startMs = 1_500;

const folder = mkdtempSync(join(tmpdir(), 'boh-bench-'));
const pipe = join(folder, 'pipe');
spawnSync('mkfifo', [pipe]);
const silentServer = createServer(() => {});
await once(silentServer.listen(0, '127.0.0.1'), 'listening');

const situations: Record<string, readonly string[]> = {
  'waiting for standard input': ['suppliers', 'create', '--data', '-'],
  'waiting for a response': ['suppliers', 'list'],
  'opening a pipe without a writer': ['suppliers', 'create', '--data', `@${pipe}`],
};

try {
  for (const [situation, args] of Object.entries(situations)) {
    const times: number[] = [];
    for (let round = 0; round < roundCount; round++) times.push(await measureEndMs(start(args)));
    const median = times.toSorted((a, b) => a - b)[Math.floor(roundCount / 2)] ?? 0;
    process.stdout.write(`${situation.padEnd(36)} ${Math.round(median)} ms\n`);
  }
} finally {
  silentServer.closeAllConnections();
  silentServer.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}

function start(args: readonly string[]): ChildProcess {
  const { port } = silentServer.address() as AddressInfo;
  return spawn(process.execPath, [join(root, 'bin/boh.js'), ...args], {
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      BOH_TOKEN: 'a-token',
      BOH_BASE_URL: `http://127.0.0.1:${port}`,
    },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
}

async function measureEndMs(child: ChildProcess): Promise<number> {
  const exit = once(child, 'exit');
  await sleep(startMs);
  const signalMs = performance.now();
  child.kill('SIGINT');
  const [code] = await exit;
  if (code !== 130) throw new Error(`The run exited with ${code}, not with 130.`);
  return performance.now() - signalMs;
}
