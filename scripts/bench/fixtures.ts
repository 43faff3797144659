/**
 * Compares an import with the stripe CLI's `fixtures`, which creates the same number of records on the same server:
 * `npm run bench:fixtures -- [RECORDS] [LATENCY]` (default: 1,000 records, 20 ms per response). The CLI is installed
 * from npm.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from '../root.ts';
import { fetchStripe } from '../tools.ts';
import { best, relativeSpeed, type Times } from './times.ts';

const [count = 1000, latencyMs = 20] = process.argv.slice(2).map(Number);
const roundCount = 5;
const folder = mkdtempSync(join(tmpdir(), 'boh-bench-'));
const stripe = fetchStripe();

const customers = Array.from({ length: count }, (_, index) => ({
  name: `Customer ${index}`,
  phone: `77${String(index).padStart(7, '0')}`,
  email: `c${index}@example.com`,
}));
const recordsFile = join(folder, 'customers.ndjson');
writeFileSync(recordsFile, customers.map((customer) => JSON.stringify(customer)).join('\n'));
const fixtures = join(folder, 'fixtures.json');
writeFileSync(
  fixtures,
  JSON.stringify({
    _meta: { template_version: 0 },
    fixtures: customers.map((params, index) => ({
      name: `customer_${index}`,
      path: '/v1/customers',
      method: 'post',
      params,
    })),
  }),
);

const service = spawn(
  process.execPath,
  [fileURLToPath(new URL('post-server.ts', import.meta.url)), String(latencyMs)],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
try {
  const [line] = await once(service.stdout, 'data');
  compare(String(line).trim());
} finally {
  service.kill();
  rmSync(folder, { recursive: true });
}

function compare(baseUrl: string): void {
  const boh = (...moreArgs: string[]) => [
    process.execPath,
    ...[
      join(root, 'bin/boh.js'),
      'customers',
      'import',
      recordsFile,
      '--mode',
      'create',
      '--yes',
      ...moreArgs,
    ],
  ];
  const baseline = 'stripe fixtures';
  const programs: Record<string, readonly string[]> = {
    [baseline]: [stripe.program, 'fixtures', fixtures, '--api-base', baseUrl],
    'boh import': boh(),
    'boh import --concurrency 16': boh('--concurrency', '16'),
  };
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    ...stripe.env,
    BOH_BASE_URL: baseUrl,
    BOH_TOKEN: 'a-token-of-the-bench',
  };
  const times: Times = {};
  for (let round = 0; round < roundCount; round++) {
    for (const [name, [program = '', ...args]] of Object.entries(programs)) {
      const startMs = performance.now();
      const { status, stderr } = spawnSync(program, args, { env, encoding: 'utf8', maxBuffer: 1e9 });
      if (status !== 0) throw new Error(`${name} exited with ${status}: ${stderr}`);
      times[name] = [...(times[name] ?? []), (performance.now() - startMs) / 1000];
    }
  }
  process.stdout.write(`${count} records, ${latencyMs} ms per response\n`);
  for (const name of Object.keys(programs)) {
    const speed = relativeSpeed(times, baseline, name).toFixed(1);
    process.stdout.write(
      `  ${name.padEnd(28)} ${best(times[name]).toFixed(2).padStart(7)} s  ${speed} times as fast\n`,
    );
  }
}
