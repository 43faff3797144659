/**
 * How long the first sync of a mirror takes beside an export of the same list in the same run, into SQLite and, where
 * there is one, into PostgreSQL, by the clock and by what the processor worked for it; then what a later sync costs with
 * 100 changes. `npm run bench:mirror -- [ROWS [CHANGED]]`: 100,000 customers, and a later sync among 1,000,000, unless
 * told otherwise; 0 for none.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { noPostgres, startPostgres } from '../../test/harness/postgres.ts';
import { root } from '../root.ts';
import { best, share, type Times } from './pairs.ts';
import { reportUse, usedBy } from './used.ts';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const boh = join(root, 'bin/boh.js');
const rounds = 5;
const changes = 100;

const [rows = 100_000, among = 1_000_000] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), 'boh-bench-'));
const postgres = noPostgres === undefined && rows > 0 ? await startPostgres() : undefined;
try {
  if (rows > 0) await compareFirst();
  if (among > 0) await measureLater();
} finally {
  await postgres?.stop();
  rmSync(folder, { recursive: true });
}

async function compareFirst(): Promise<void> {
  const service = await serve(rows);
  const [times, works]: [Times, Times] = [{}, {}];
  const peaks: Record<string, number> = {};
  const ran = async (name: string, words: string[], mirror = '') => {
    const { seconds, work, peak } = await run(words, service.baseUrl, mirror);
    times[name] = [...(times[name] ?? []), seconds];
    works[name] = [...(works[name] ?? []), work];
    peaks[name] = Math.max(peak, peaks[name] ?? 0);
  };
  const sync = ['mirror', 'sync', '--resource', 'customers', '-q'];
  for (let round = 0; round < rounds; round++) {
    await ran('export --to .csv', ['customers', 'export', '--to', join(folder, 'customers.csv')]);
    await ran('sync into SQLite', sync, `sqlite:${join(folder, `${round}.sqlite`)}`);
    if (postgres) await ran('sync into PostgreSQL', sync, await postgres.database(`bench_${round}`));
  }
  service.stop();
  process.stdout.write(`${rows.toLocaleString('en')} customers, the first sync\n`);
  for (const [name, peak] of Object.entries(peaks)) {
    const seconds = best(times[name]);
    const percent = (of: Times) => Math.round(share(of, 'export --to .csv', name) * 100);
    const speed = `${percent(times)} % of export's speed, ${percent(works)} % by the processor's time`;
    process.stdout.write(
      `  ${name.padEnd(21)} ${seconds.toFixed(2).padStart(7)} s  ${String(Math.round(rows / seconds)).padStart(7)} rows/s  ${String(Math.round(peak)).padStart(4)} MB  ${speed}\n`,
    );
  }
  if (!postgres) process.stdout.write(`  ${noPostgres}\n`);
}

async function measureLater(): Promise<void> {
  const service = await serve(among);
  const mirror = `sqlite:${join(folder, 'later.sqlite')}`;
  const sync = ['mirror', 'sync', '--resource', 'customers', '-q'];
  const first = await run(sync, service.baseUrl, mirror);
  await fetch(`${service.baseUrl}/changes?count=${changes}`, { method: 'POST' });
  // They are older than the sync that asks for them.
  await new Promise((resolve) => setTimeout(resolve, 2000));
  const later = await run(sync, service.baseUrl, mirror);
  const asked = await (await fetch(`${service.baseUrl}/changes`)).text();
  service.stop();
  process.stdout.write(
    `${changes} changes among ${among.toLocaleString('en')} customers\n  a later sync          ${later.seconds.toFixed(2).padStart(7)} s  ${asked} requests, one of them for who is signed in  ${Math.round(later.peak)} MB; the first took ${first.seconds.toFixed(0)} s and ${Math.round(first.peak)} MB\n`,
  );
}

async function serve(count: number): Promise<{ baseUrl: string; stop(): void }> {
  const server = spawn(process.execPath, [here('list-server.ts'), String(count)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [address] = await once(server.stdout, 'data');
  return { baseUrl: String(address).trim(), stop: () => server.kill() };
}

async function run(
  words: readonly string[],
  baseUrl: string,
  mirror: string,
): Promise<{ seconds: number; work: number; peak: number }> {
  const report = join(folder, 'peak');
  const started = performance.now();
  const child = spawn(process.execPath, ['--require', reportUse, boh, ...words], {
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
  if (exitCode !== 0) throw new Error(`${words.join(' ')} ended with ${exitCode}`);
  const { seconds: work, peak } = usedBy(report);
  return { seconds: (performance.now() - started) / 1000, work, peak };
}
