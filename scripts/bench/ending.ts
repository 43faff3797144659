/**
 * Measures how soon an interrupted run ends, in the situations of test/cli/ending.test.ts: `npm run bench:ending`. Milliseconds
 * from the signal to the end of the process, the middle one of five; a second is what is promised.
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

const rounds = 5;

/** Until a run waits, on a machine that has nothing else to do. */
const startMs = 1_500;

const folder = mkdtempSync(join(tmpdir(), 'boh-bench-'));
const pipe = join(folder, 'pipe');
spawnSync('mkfifo', [pipe]);
const silent = createServer(() => {});
await once(silent.listen(0, '127.0.0.1'), 'listening');

const situations: Record<string, readonly string[]> = {
  'standard input is awaited': ['suppliers', 'create', '--data', '-'],
  'an answer is awaited': ['suppliers', 'list'],
  'a pipe without a writer is opened': ['suppliers', 'create', '--data', `@${pipe}`],
};

try {
  for (const [situation, words] of Object.entries(situations)) {
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) times.push(await endingMs(start(words)));
    const middle = times.toSorted((one, other) => one - other)[Math.floor(rounds / 2)] ?? 0;
    process.stdout.write(`${situation.padEnd(36)} ${Math.round(middle)} ms\n`);
  }
} finally {
  silent.closeAllConnections();
  silent.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}

function start(words: readonly string[]): ChildProcess {
  const { port } = silent.address() as AddressInfo;
  return spawn(process.execPath, [join(root, 'bin/boh.js'), ...words], {
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      BOH_TOKEN: 'a-token',
      BOH_BASE_URL: `http://127.0.0.1:${port}`,
    },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
}

async function endingMs(child: ChildProcess): Promise<number> {
  const exit = once(child, 'exit');
  await sleep(startMs);
  const told = performance.now();
  child.kill('SIGINT');
  const [code] = await exit;
  if (code !== 130) throw new Error(`It ended with ${code}.`);
  return performance.now() - told;
}
