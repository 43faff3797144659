/**
 * Compares an import with a bare undici loop that posts the same records: `npm run bench:bulk -- [ROWS]` (default:
 * 10,000). Each run has a new sandbox server. Times are the best of five rounds, percentages the median. `--limit` adds
 * an import under a limit of 90 requests per minute, which takes some minutes.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from '../root.ts';
import { best, relativeSpeed, type Times } from './times.ts';
import { readUsage, usagePreload } from './usage.ts';

const count = Number(process.argv.slice(2).find((arg) => /^\d+$/.test(arg)) ?? 10_000);
const isLimited = process.argv.includes('--limit');
const folder = mkdtempSync(join(tmpdir(), 'boh-bench-'));
const boh = join(root, 'bin/boh.js');
const barePosts = fileURLToPath(new URL('bare-posts.mjs', import.meta.url));
const concurrency = '4';
const roundCount = 5;

const customers = join(folder, 'customers.csv');
writeFileSync(
  customers,
  [
    'name,phone,email',
    ...Array.from(
      { length: count },
      (_, index) => `Customer ${index},77${String(index).padStart(7, '0')},c${index}@example.com`,
    ),
  ].join('\n'),
);

interface RunResult {
  seconds: number;
  cpuSeconds: number;
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

interface Service {
  env: Record<string, string>;
  stop(): Promise<void>;
}

try {
  await measureImport();
  await measureReimport();
  await measureUpdate();
  if (isLimited) await measureRateLimit();
} finally {
  rmSync(folder, { recursive: true });
}

async function measureImport(): Promise<void> {
  const args = ['customers', 'import', customers, '--mode', 'create', '--yes', '--concurrency', concurrency];
  const loop = 'bare undici loop';
  const programs: Record<string, (env: Service['env']) => Promise<RunResult>> = {
    [loop]: (env) => run([barePosts], { ...env, ROWS: customers, CONCURRENCY: concurrency }),
    'boh import': (env) => run([boh, ...args], env),
    'boh import, history off': (env) => run([boh, ...args], { ...env, BOH_HISTORY_JOURNAL: 'off' }),
    'boh import --no-ledger': (env) => run([boh, ...args, '--no-ledger'], env),
  };
  const times: Times = {};
  const cpuTimes: Times = {};
  for (let round = 0; round < roundCount; round++) {
    for (const [name, program] of Object.entries(programs)) {
      const { seconds, cpuSeconds } = await runOnNewServer(program);
      times[name] = [...(times[name] ?? []), seconds];
      cpuTimes[name] = [...(cpuTimes[name] ?? []), cpuSeconds];
    }
  }
  process.stdout.write(`import of ${count} rows\n`);
  for (const name of Object.keys(programs)) {
    const seconds = best(times[name]);
    const percent = Math.round(relativeSpeed(times, loop, name) * 100);
    const cpuTime = `${best(cpuTimes[name]).toFixed(2)} s of CPU time`;
    process.stdout.write(
      `  ${name.padEnd(24)} ${seconds.toFixed(2).padStart(6)} s  ${String(Math.round(count / seconds)).padStart(6)} rows/s  ${percent} % of the speed of the loop, ${cpuTime}\n`,
    );
  }
}

async function runOnNewServer(
  program: (env: Record<string, string>) => Promise<RunResult>,
): Promise<RunResult> {
  const service = await serve();
  try {
    const result = await program(service.env);
    if (result.exitCode !== 0 || result.stdout.trimEnd().split('\n').length !== count) {
      throw new Error(`The program exited with ${result.exitCode}: ${result.stderr}`);
    }
    return result;
  } finally {
    await service.stop();
  }
}

/** Imports the same file twice. The second import reads the list and doesn't write. */
async function measureReimport(): Promise<void> {
  const service = await serve();
  await run([boh, 'customers', 'import', customers, '--mode', 'create', '--yes'], service.env);
  const listRequests = requestsIn(await run([boh, 'customers', 'list', '-o', 'id', '-v'], service.env));
  const importRequests = requestsIn(
    await run([boh, 'customers', 'import', customers, '--key', 'phone', '-v'], service.env),
  );
  await service.stop();
  process.stdout.write(
    `re-import of ${count} unchanged rows\n  ${importRequests.reads} reads (${listRequests.reads} for the list), ${importRequests.writes} writes\n`,
  );
}

/** Updates 100 costs, with rows that are found by SKU. */
async function measureUpdate(): Promise<void> {
  const service = await serve();
  const items = join(folder, 'items.csv');
  const lines = (cost: number) =>
    Array.from({ length: 100 }, (_, index) => `PRICE-${index},Item ${index},kg,g,1000,1,${cost + index}`);
  const header = 'sku,name,storage_unit,ingredient_unit,storage_to_ingredient_factor,costing_method,cost';
  writeFileSync(items, [header, ...lines(5)].join('\n'));
  await run([boh, 'inventory-items', 'import', items, '--mode', 'create', '--yes'], service.env);
  writeFileSync(items, ['sku,cost', ...lines(6).map((line) => line.replace(/,.*,/, ','))].join('\n'));
  const requests = requestsIn(
    await run([boh, 'inventory-items', 'import', items, '--key', 'sku', '--yes', '-v'], service.env),
  );
  await service.stop();
  process.stdout.write(
    `100 costs by SKU\n  ${requests.reads} requests to find them, ${requests.writes} writes\n`,
  );
}

async function measureRateLimit(): Promise<void> {
  const plan = join(folder, 'faults.yaml');
  writeFileSync(plan, 'seed: 1\nrules:\n  - {fault: rate_limit, per_minute: 90}\n');
  const service = await serve(['--faults', plan]);
  const rows = join(folder, 'rows.csv');
  writeFileSync(
    rows,
    ['name,phone', ...Array.from({ length: 359 }, (_, index) => `Row ${index},66${index}`)].join('\n'),
  );
  const result = await run(
    [boh, 'customers', 'import', rows, '--mode', 'create', '--yes', '-v'],
    service.env,
  );
  await service.stop();
  const { reads, writes, rejections } = requestsIn(result);
  // The last request is sent at the start of its window, so only the windows before it count.
  const windows = Math.ceil((reads + writes) / 90) - 1;
  const percent = Math.round((windows * 60_000 * 1000) / (result.seconds * 1000)) / 10;
  process.stdout.write(
    `limit of 90 requests per minute\n  ${reads + writes} requests in ${result.seconds.toFixed(1)} s: ${percent.toFixed(1)} % of the limit, ${rejections} rejected\n`,
  );
}

function requestsIn({ stderr }: RunResult): { reads: number; writes: number; rejections: number } {
  const count = (pattern: RegExp) => stderr.match(pattern)?.length ?? 0;
  return {
    reads: count(/^GET /gm),
    writes: count(/^(POST|PUT|DELETE) /gm),
    rejections: count(/: 429 in /g),
  };
}

async function serve(moreArgs: readonly string[] = []): Promise<Service> {
  // A new home without runs or history. The cache of compiled code is shared, as after the first start on a machine.
  const home = mkdtempSync(join(folder, 'home-'));
  const env = { PATH: process.env.PATH ?? '', HOME: home, XDG_CACHE_HOME: join(folder, 'cache') };
  const child = spawn(
    process.execPath,
    [boh, 'sandbox', 'serve', '--memory', '--port', '0', '-o', 'json', ...moreArgs],
    {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const [line] = await once(child.stdout, 'data');
  const { base_url: baseUrl, token } = JSON.parse(String(line));
  return {
    env: { ...env, BOH_BASE_URL: baseUrl, BOH_TOKEN: token },
    async stop() {
      child.kill();
      await once(child, 'exit');
    },
  };
}

async function run(args: readonly string[], env: Record<string, string>): Promise<RunResult> {
  const startMs = performance.now();
  const report = join(folder, 'usage.json');
  const child = spawn(process.execPath, ['--require', usagePreload, ...args], {
    env: { ...env, REPORT: report },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk;
  });
  const [exitCode] = await once(child, 'close');
  const seconds = (performance.now() - startMs) / 1000;
  return { seconds, cpuSeconds: readUsage(report).cpuSeconds, exitCode, stdout, stderr };
}
