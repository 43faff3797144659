/**
 * How long `boh lint` takes for customers, addresses and items: from the mirror, with its peak of memory, and live beside the
 * time of listing them. `npm run bench:lint -- [RECORDS]`: 100,000 unless told otherwise.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../root.ts';
import { reportUse, usedBy } from './used.ts';

/** Seconds by the clock and of the processor, and the peak of memory in MB. */
interface Cost {
  seconds: number;
  work: number;
  peak: number;
}

const boh = join(root, 'bin/boh.js');
const rounds = 3;
const perPage = 50;
const [records = 100_000] = process.argv.slice(2).map(Number);
const counts: Record<string, number> = {
  customers: Math.round(records * 0.6),
  addresses: Math.round(records * 0.3),
  inventory_items: Math.round(records * 0.1),
};
const written = { created_at: '2026-01-02 03:04:05', updated_at: '2026-01-02 03:04:05', deleted_at: null };
const make: Record<string, (at: number) => object> = {
  customers: (at) => ({
    ...{ id: `c${at}`, name: `Huda Al-Amin ${at}`, dial_code: 966, phone: String(500_000_000 + at) },
    ...{ email: `c${at}@example.com`, is_blacklisted: false, is_house_account_enabled: at % 3 === 0 },
    ...{ tags: [], ...written },
  }),
  addresses: (at) => ({
    ...{ id: `a${at}`, name: 'Home', latitude: '24.7', longitude: '46.6' },
    ...{ customer: { id: `c${at}` }, delivery_zone: null, ...written },
  }),
  inventory_items: (at) => ({
    ...{
      id: `i${at}`,
      sku: `SKU-${at}`,
      barcode: `628${at}`,
      name: `Item ${at}`,
      name_localized: `صنف ${at}`,
    },
    ...{ minimum_level: '2', par_level: '6', maximum_level: '12', storage_unit: 'kg', ingredient_unit: 'g' },
    ...{ storage_to_ingredient_factor: 1000, costing_method: 1, cost: 4.5, category: null },
    ...{ tags: [], branches: [], ingredients: at % 5 ? [] : [{ id: `i${at + 1}`, pivot: { quantity: 3 } }] },
    ...written,
  }),
};

const server = createServer(({ url = '' }, response) => {
  const [, name = ''] = /^\/(\w+)/.exec(url) ?? [];
  const page = Number(/[?&]page=(\d+)/.exec(url)?.[1] ?? 1);
  const total = counts[name] ?? 0;
  const last = Math.max(1, Math.ceil(total / perPage));
  const own = Array.from(
    { length: Math.min(perPage, total - (page - 1) * perPage) },
    (_, at) => (page - 1) * perPage + at,
  );
  const whoami = { user: { id: 'user-1' }, business: { id: 'business-1', name: 'Bench' } };
  const data = name === 'whoami' ? whoami : own.map((at) => make[name]?.(at));
  response.setHeader('content-type', 'application/json');
  response.end(
    JSON.stringify({ data, meta: { current_page: page, last_page: last, per_page: perPage, total } }),
  );
});
const folder = mkdtempSync(join(tmpdir(), 'boh-bench-'));
try {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  await run(['mirror', 'sync', '-q']);
  await measured('from the mirror', () => run(['lint', '--mirror', '-o', 'json']));
  const names = Object.keys(counts).map((name) => name.replaceAll('_', '-'));
  const listing = await measured('listing them', async () => {
    const all: Cost[] = [];
    for (const name of names) all.push(await run([name, 'list', '--all', '-o', 'ndjson']));
    const sum = (of: (cost: Cost) => number) => all.reduce((total, cost) => total + of(cost), 0);
    return { seconds: sum(({ seconds }) => seconds), work: sum(({ work }) => work), peak: all[0]?.peak ?? 0 };
  });
  const live = await measured('live', () => run(['lint', ...names, '-o', 'json']));
  process.stdout.write(
    `  live takes ${(live.seconds / listing.seconds).toFixed(2)} times as long as listing\n`,
  );
} finally {
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true });
}

async function measured(name: string, measure: () => Promise<Cost>): Promise<Cost> {
  const all: Cost[] = [];
  for (let round = 0; round < rounds; round++) all.push(await measure());
  const best = (of: (cost: Cost) => number) => Math.min(...all.map(of));
  const [seconds, work] = [best((cost) => cost.seconds), best((cost) => cost.work)];
  const peak = Math.max(...all.map((cost) => cost.peak));
  const times = `${seconds.toFixed(2).padStart(6)} s, ${work.toFixed(2)} s of the processor`;
  process.stdout.write(`  ${name.padEnd(16)} ${times}, ${Math.round(peak)} MB\n`);
  return { seconds, work, peak };
}

async function run(words: readonly string[]): Promise<Cost> {
  const report = join(folder, 'used');
  const started = performance.now();
  const { port } = server.address() as AddressInfo;
  const child = spawn(process.execPath, ['--require', reportUse, boh, ...words], {
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
  if (exitCode !== 0 && exitCode !== 10) throw new Error(`${words.join(' ')} ended with ${exitCode}`);
  const { seconds: work, peak } = usedBy(report);
  return { seconds: (performance.now() - started) / 1000, work, peak };
}
