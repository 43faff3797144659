/**
 * Compares the first sync of a mirror with an export of the same list, to SQLite and, if it is installed, to PostgreSQL.
 * Then measures a later sync with 100 changes. `npm run bench:mirror -- [ROWS [LATER_ROWS]]` (default: 100,000 customers
 * for the first sync, 1,000,000 for the later sync; 0 skips a part).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { noPostgres, startPostgres } from '../../test/harness/postgres.ts';
import { root } from '../root.ts';
import { best, relativeSpeed, type Times } from './times.ts';
import { readUsage, type Usage, usagePreload } from './usage.ts';

const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const boh = join(root, 'bin/boh.js');
const roundCount = 5;
const changeCount = 100;

const [rowCount = 100_000, laterRowCount = 1_000_000] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), 'boh-bench-'));
const postgres = noPostgres === undefined && rowCount > 0 ? await startPostgres() : undefined;
try {
  if (rowCount > 0) await compareFirstSync();
  if (laterRowCount > 0) await measureLaterSync();
} finally {
  await postgres?.stop();
  rmSync(folder, { recursive: true });
}

async function compareFirstSync(): Promise<void> {
  const service = await serve(rowCount);
  const [times, cpuTimes]: [Times, Times] = [{}, {}];
  const peaksMb: Record<string, number> = {};
  const measure = async (name: string, args: string[], mirror = '') => {
    const { seconds, cpuSeconds, peakMb } = await run(args, service.baseUrl, mirror);
    times[name] = [...(times[name] ?? []), seconds];
    cpuTimes[name] = [...(cpuTimes[name] ?? []), cpuSeconds];
    peaksMb[name] = Math.max(peakMb, peaksMb[name] ?? 0);
  };
  const sync = ['mirror', 'sync', '--resource', 'customers', '-q'];
  for (let round = 0; round < roundCount; round++) {
    await measure('export --to .csv', ['customers', 'export', '--to', join(folder, 'customers.csv')]);
    await measure('sync to SQLite', sync, `sqlite:${join(folder, `${round}.sqlite`)}`);
    if (postgres) await measure('sync to PostgreSQL', sync, await postgres.createDatabase(`bench_${round}`));
  }
  service.stop();
  process.stdout.write(`${rowCount.toLocaleString('en')} customers, the first sync\n`);
  for (const [name, peak] of Object.entries(peaksMb)) {
    const seconds = best(times[name]);
    const percent = (timesByName: Times) =>
      Math.round(relativeSpeed(timesByName, 'export --to .csv', name) * 100);
    const speed = `${percent(times)} % of export's speed, ${percent(cpuTimes)} % by CPU time`;
    process.stdout.write(
      `  ${name.padEnd(21)} ${seconds.toFixed(2).padStart(7)} s  ${String(Math.round(rowCount / seconds)).padStart(7)} rows/s  ${String(Math.round(peak)).padStart(4)} MB  ${speed}\n`,
    );
  }
  if (!postgres) process.stdout.write(`  ${noPostgres}\n`);
}

async function measureLaterSync(): Promise<void> {
  const service = await serve(laterRowCount);
  const mirror = `sqlite:${join(folder, 'later.sqlite')}`;
  const sync = ['mirror', 'sync', '--resource', 'customers', '-q'];
  const firstSync = await run(sync, service.baseUrl, mirror);
  await fetch(`${service.baseUrl}/changes?count=${changeCount}`, { method: 'POST' });
  // Timestamps have seconds: the changes must be older than the sync.
  await new Promise((resolve) => setTimeout(resolve, 2000));
  const laterSync = await run(sync, service.baseUrl, mirror);
  const requestCount = await (await fetch(`${service.baseUrl}/changes`)).text();
  service.stop();
  process.stdout.write(
    `${changeCount} changes of ${laterRowCount.toLocaleString('en')} customers\n  later sync            ${laterSync.seconds.toFixed(2).padStart(7)} s  ${requestCount} requests, including whoami  ${Math.round(laterSync.peakMb)} MB; first sync: ${firstSync.seconds.toFixed(0)} s, ${Math.round(firstSync.peakMb)} MB\n`,
  );
}

async function serve(count: number): Promise<{ baseUrl: string; stop(): void }> {
  const server = spawn(process.execPath, [pathOf('list-server.ts'), String(count)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(server.stdout, 'data');
  return { baseUrl: String(line).trim(), stop: () => server.kill() };
}

async function run(
  args: readonly string[],
  baseUrl: string,
  mirror: string,
): Promise<Usage & { seconds: number }> {
  const report = join(folder, 'usage.json');
  const startMs = performance.now();
  const child = spawn(process.execPath, ['--require', usagePreload, boh, ...args], {
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      BOH_TOKEN: 'a-token-of-the-bench',
      BOH_BASE_URL: baseUrl,
      BOH_MIRROR: mirror,
      REPORT: report,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [exitCode] = await once(child, 'close');
  if (exitCode !== 0) throw new Error(`${args.join(' ')} exited with ${exitCode}`);
  return { seconds: (performance.now() - startMs) / 1000, ...readUsage(report) };
}
