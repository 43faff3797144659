/** Prints how long whole runs of boh take, as medians and as multiples of an empty script on the same Node. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../root.ts';
import { startService } from './service.ts';

const rounds = Number(process.argv[2] ?? 25);
const folder = mkdtempSync(join(tmpdir(), 'boh-bench-'));
const empty = join(folder, 'empty.js');
writeFileSync(empty, '');

const service = await startService();
const env = {
  ...process.env,
  BOH_CONFIG_DIR: folder,
  BOH_BASE_URL: service.baseUrl,
  BOH_TOKEN: 'bench',
  XDG_CACHE_HOME: join(folder, 'cache'),
};

const boh = join(root, 'bin/boh.js');
const candidates = [
  { name: 'an empty script', args: [empty], goal: undefined },
  { name: 'boh --version', args: [boh, '--version'], goal: undefined },
  { name: 'boh --help', args: [boh, '--help'], goal: 1.7 },
  { name: 'boh customers --help', args: [boh, 'customers', '--help'], goal: 1.7 },
  { name: 'boh customers list -o json', args: [boh, 'customers', 'list', '-o', 'json'], goal: 3.5 },
].map((candidate) => ({ ...candidate, times: [] as number[] }));

try {
  // Interleaved, so that a busy moment of the machine hits all alike; the first two rounds warm the caches.
  for (let round = -2; round < rounds; round++) {
    for (const { args, name, times } of candidates) {
      const time = run(name, args);
      if (round >= 0) times.push(time);
    }
  }
} finally {
  service.stop();
  rmSync(folder, { recursive: true });
}

const base = median(candidates[0]?.times ?? []);
for (const { name, goal, times } of candidates) {
  const ms = median(times);
  const target = goal === undefined ? '' : `  (to reach: ${goal}x)`;
  process.stdout.write(
    `${name.padEnd(28)}${ms.toFixed(1).padStart(6)} ms${(ms / base).toFixed(2).padStart(6)}x${target}\n`,
  );
}

function run(name: string, args: string[]): number {
  const started = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const time = performance.now() - started;
  if (status !== 0) throw new Error(`${name} ended with ${status}: ${stderr}`);
  return time;
}

function median(times: number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}
