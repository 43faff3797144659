/**
 * An import beside the stripe CLI's `fixtures`, which makes as many records of the same service in the same run:
 * `npm run bench:fixtures -- [RECORDS] [MILLISECONDS]`, 1,000 of a service that takes 20 ms for an answer unless told
 * otherwise. The CLI is fetched from npm.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from '../root.ts';
import { fetchStripe } from '../tools.ts';
import { best, share, type Times } from './pairs.ts';

const [count = 1000, latency = 20] = process.argv.slice(2).map(Number);
const rounds = 5;
const folder = mkdtempSync(join(tmpdir(), 'boh-bench-'));
const stripe = fetchStripe();

const customers = Array.from({ length: count }, (_, at) => ({
  name: `Customer ${at}`,
  phone: `77${String(at).padStart(7, '0')}`,
  email: `c${at}@example.com`,
}));
const table = join(folder, 'customers.ndjson');
writeFileSync(table, customers.map((customer) => JSON.stringify(customer)).join('\n'));
const fixtures = join(folder, 'fixtures.json');
writeFileSync(
  fixtures,
  JSON.stringify({
    _meta: { template_version: 0 },
    fixtures: customers.map((params, at) => ({
      name: `customer_${at}`,
      path: '/v1/customers',
      method: 'post',
      params,
    })),
  }),
);

const service = spawn(
  process.execPath,
  [fileURLToPath(new URL('post-server.ts', import.meta.url)), String(latency)],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
try {
  const [line] = await once(service.stdout, 'data');
  compare(String(line).trim());
} finally {
  service.kill();
  rmSync(folder, { recursive: true });
}

function compare(address: string): void {
  const own = { PATH: process.env.PATH ?? '', HOME: folder };
  const boh = (...more: string[]) => [
    process.execPath,
    ...[join(root, 'bin/boh.js'), 'customers', 'import', table, '--mode', 'create', '--yes', ...more],
  ];
  const peer = 'stripe fixtures';
  const programs: Record<string, readonly string[]> = {
    [peer]: [stripe.program, 'fixtures', fixtures, '--api-base', address],
    'boh import': boh(),
    'boh import --concurrency 16': boh('--concurrency', '16'),
  };
  const env = { ...own, ...stripe.env, BOH_BASE_URL: address, BOH_TOKEN: 'a-token-of-the-bench' };
  const times: Times = {};
  for (let round = 0; round < rounds; round++) {
    for (const [name, [program = '', ...words]] of Object.entries(programs)) {
      const began = performance.now();
      const { status, stderr } = spawnSync(program, words, { env, encoding: 'utf8', maxBuffer: 1e9 });
      if (status !== 0) throw new Error(`${name} ended with ${status}: ${stderr}`);
      times[name] = [...(times[name] ?? []), (performance.now() - began) / 1000];
    }
  }
  process.stdout.write(`${count} records, a service that takes ${latency} ms\n`);
  for (const name of Object.keys(programs)) {
    const speed = share(times, peer, name).toFixed(1);
    process.stdout.write(
      `  ${name.padEnd(28)} ${best(times[name]).toFixed(2).padStart(7)} s  ${speed} times as fast\n`,
    );
  }
}
