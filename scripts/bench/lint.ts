/**
 * Measures time and memory of `boh lint` for customers, addresses and items, from the mirror and live, and compares the
 * live run with listing the same records. `npm run bench:lint -- [RECORDS]` (default: 100,000).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../root.ts';
import { readUsage, usagePreload } from './usage.ts';

interface Measurement {
  seconds: number;
  cpuSeconds: number;
  peakMb: number;
}

const boh = join(root, 'bin/boh.js');
const roundCount = 3;
const perPage = 50;
const [recordCount = 100_000] = process.argv.slice(2).map(Number);
const counts: Record<string, number> = {
  customers: Math.round(recordCount * 0.6),
  addresses: Math.round(recordCount * 0.3),
  inventory_items: Math.round(recordCount * 0.1),
};
const timestamps = { created_at: '2026-01-02 03:04:05', updated_at: '2026-01-02 03:04:05', deleted_at: null };
/** Contains a function for each resource, which creates the record with an index. */
const createRecord: Record<string, (index: number) => object> = {
  customers: (index) => ({
    ...{ id: `c${index}`, name: `Huda Al-Amin ${index}`, dial_code: 966, phone: String(500_000_000 + index) },
    ...{ email: `c${index}@example.com`, is_blacklisted: false, is_house_account_enabled: index % 3 === 0 },
    ...{ tags: [], ...timestamps },
  }),
  addresses: (index) => ({
    ...{ id: `a${index}`, name: 'Home', latitude: '24.7', longitude: '46.6' },
    ...{ customer: { id: `c${index}` }, delivery_zone: null, ...timestamps },
  }),
  inventory_items: (index) => ({
    ...{
      id: `i${index}`,
      sku: `SKU-${index}`,
      barcode: `628${index}`,
      name: `Item ${index}`,
      name_localized: `صنف ${index}`,
    },
    ...{ minimum_level: '2', par_level: '6', maximum_level: '12', storage_unit: 'kg', ingredient_unit: 'g' },
    ...{ storage_to_ingredient_factor: 1000, costing_method: 1, cost: 4.5, category: null },
    ...{
      tags: [],
      branches: [],
      ingredients: index % 5 ? [] : [{ id: `i${index + 1}`, pivot: { quantity: 3 } }],
    },
    ...timestamps,
  }),
};

const server = createServer(({ url = '' }, response) => {
  const [, name = ''] = /^\/(\w+)/.exec(url) ?? [];
  const page = Number(/[?&]page=(\d+)/.exec(url)?.[1] ?? 1);
  const total = counts[name] ?? 0;
  const lastPage = Math.max(1, Math.ceil(total / perPage));
  const indexes = Array.from(
    { length: Math.min(perPage, total - (page - 1) * perPage) },
    (_, index) => (page - 1) * perPage + index,
  );
  const whoami = { user: { id: 'user-1' }, business: { id: 'business-1', name: 'Bench' } };
  const data = name === 'whoami' ? whoami : indexes.map((index) => createRecord[name]?.(index));
  response.setHeader('content-type', 'application/json');
  response.end(
    JSON.stringify({ data, meta: { current_page: page, last_page: lastPage, per_page: perPage, total } }),
  );
});
const folder = mkdtempSync(join(tmpdir(), 'boh-bench-'));
try {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  await run(['mirror', 'sync', '-q']);
  await measure('from the mirror', () => run(['lint', '--mirror', '-o', 'json']));
  const names = Object.keys(counts).map((name) => name.replaceAll('_', '-'));
  const listMeasurement = await measure('lists', async () => {
    const runs: Measurement[] = [];
    for (const name of names) runs.push(await run([name, 'list', '--all', '-o', 'ndjson']));
    const sum = (key: keyof Measurement) => runs.reduce((total, measurement) => total + measurement[key], 0);
    return { seconds: sum('seconds'), cpuSeconds: sum('cpuSeconds'), peakMb: runs[0]?.peakMb ?? 0 };
  });
  const liveMeasurement = await measure('live', () => run(['lint', ...names, '-o', 'json']));
  process.stdout.write(
    `  live takes ${(liveMeasurement.seconds / listMeasurement.seconds).toFixed(2)} times as long as the lists\n`,
  );
} finally {
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true });
}

async function measure(name: string, task: () => Promise<Measurement>): Promise<Measurement> {
  const rounds: Measurement[] = [];
  for (let round = 0; round < roundCount; round++) rounds.push(await task());
  const best = (key: keyof Measurement) => Math.min(...rounds.map((measurement) => measurement[key]));
  const [seconds, cpuSeconds] = [best('seconds'), best('cpuSeconds')];
  const peakMb = Math.max(...rounds.map((measurement) => measurement.peakMb));
  const times = `${seconds.toFixed(2).padStart(6)} s, ${cpuSeconds.toFixed(2)} s of CPU time`;
  process.stdout.write(`  ${name.padEnd(16)} ${times}, ${Math.round(peakMb)} MB\n`);
  return { seconds, cpuSeconds, peakMb };
}

async function run(args: readonly string[]): Promise<Measurement> {
  const report = join(folder, 'usage.json');
  const startMs = performance.now();
  const { port } = server.address() as AddressInfo;
  const child = spawn(process.execPath, ['--require', usagePreload, boh, ...args], {
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      BOH_TOKEN: 'a-token-of-the-bench',
      BOH_BASE_URL: `http://127.0.0.1:${port}`,
      BOH_MIRROR: `sqlite:${join(folder, 'mirror.sqlite')}`,
      REPORT: report,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [exitCode] = await once(child, 'close');
  if (exitCode !== 0 && exitCode !== 10) throw new Error(`${args.join(' ')} exited with ${exitCode}`);
  return { seconds: (performance.now() - startMs) / 1000, ...readUsage(report) };
}
