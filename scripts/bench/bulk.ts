/**
 * What an import costs, beside a bare undici loop that posts the same records to the same service in the same run:
 * `npm run bench:bulk -- [ROWS]`, 10,000 unless told otherwise. The service is the sandbox in a process of its own, a
 * fresh one for each run; each time is the best of five, each share the middle one of five rounds. With `--limit` it also runs under 90 requests a minute,
 * which takes some minutes.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from '../root.ts';
import { best, share, type Times } from './pairs.ts';
import { reportUse, usedBy } from './used.ts';

const count = Number(process.argv.slice(2).find((word) => /^\d+$/.test(word)) ?? 10_000);
const isLimited = process.argv.includes('--limit');
const folder = mkdtempSync(join(tmpdir(), 'boh-bench-'));
const boh = join(root, 'bin/boh.js');
const barePosts = fileURLToPath(new URL('bare-posts.mjs', import.meta.url));
const concurrency = '4';
const rounds = 5;

const customers = join(folder, 'customers.csv');
writeFileSync(
  customers,
  [
    'name,phone,email',
    ...Array.from(
      { length: count },
      (_, at) => `Customer ${at},77${String(at).padStart(7, '0')},c${at}@example.com`,
    ),
  ].join('\n'),
);

interface Ran {
  seconds: number;
  /** Of the processor's time, in seconds. */
  used: number;
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

interface Service {
  env: Record<string, string>;
  stop(): Promise<void>;
}

try {
  await imports();
  await again();
  await costs();
  if (isLimited) await limited();
} finally {
  rmSync(folder, { recursive: true });
}

async function imports(): Promise<void> {
  const line = ['customers', 'import', customers, '--mode', 'create', '--yes', '--concurrency', concurrency];
  const loop = 'bare undici loop';
  const programs: Record<string, (env: Service['env']) => Promise<Ran>> = {
    [loop]: (env) => run([barePosts], { ...env, ROWS: customers, CONCURRENCY: concurrency }),
    'boh import': (env) => run([boh, ...line], env),
    'boh import, history off': (env) => run([boh, ...line], { ...env, BOH_HISTORY_JOURNAL: 'off' }),
    'boh import --no-ledger': (env) => run([boh, ...line, '--no-ledger'], env),
  };
  const times: Times = {};
  const used: Times = {};
  for (let round = 0; round < rounds; round++) {
    for (const [name, work] of Object.entries(programs)) {
      const ran = await timed(work);
      times[name] = [...(times[name] ?? []), ran.seconds];
      used[name] = [...(used[name] ?? []), ran.used];
    }
  }
  process.stdout.write(`import of ${count} rows\n`);
  for (const name of Object.keys(programs)) {
    const seconds = best(times[name]);
    const percent = Math.round(share(times, loop, name) * 100);
    const ofProcessor = `${best(used[name]).toFixed(2)} s of the processor`;
    process.stdout.write(
      `  ${name.padEnd(24)} ${seconds.toFixed(2).padStart(6)} s  ${String(Math.round(count / seconds)).padStart(6)} rows/s  ${percent} % of the speed of the loop, ${ofProcessor}\n`,
    );
  }
}

async function timed(work: (env: Record<string, string>) => Promise<Ran>): Promise<Ran> {
  const service = await serve();
  try {
    const ran = await work(service.env);
    if (ran.exitCode !== 0 || ran.stdout.trimEnd().split('\n').length !== count) {
      throw new Error(`it ended with ${ran.exitCode}: ${ran.stderr}`);
    }
    return ran;
  } finally {
    await service.stop();
  }
}

/** The same file again: what is as it should be costs the list and nothing else. */
async function again(): Promise<void> {
  const service = await serve();
  await run([boh, 'customers', 'import', customers, '--mode', 'create', '--yes'], service.env);
  const listed = requestsIn(await run([boh, 'customers', 'list', '-o', 'id', '-v'], service.env));
  const imported = requestsIn(
    await run([boh, 'customers', 'import', customers, '--key', 'phone', '-v'], service.env),
  );
  await service.stop();
  process.stdout.write(
    `re-import of ${count} unchanged rows\n  ${imported.reads} reads (${listed.reads} to list them all), ${imported.writes} writes\n`,
  );
}

async function costs(): Promise<void> {
  const service = await serve();
  const items = join(folder, 'items.csv');
  const lines = (cost: number) =>
    Array.from({ length: 100 }, (_, at) => `PRICE-${at},Item ${at},kg,g,1000,1,${cost + at}`);
  const header = 'sku,name,storage_unit,ingredient_unit,storage_to_ingredient_factor,costing_method,cost';
  writeFileSync(items, [header, ...lines(5)].join('\n'));
  await run([boh, 'inventory-items', 'import', items, '--mode', 'create', '--yes'], service.env);
  writeFileSync(items, ['sku,cost', ...lines(6).map((line) => line.replace(/,.*,/, ','))].join('\n'));
  const ran = requestsIn(
    await run([boh, 'inventory-items', 'import', items, '--key', 'sku', '--yes', '-v'], service.env),
  );
  await service.stop();
  process.stdout.write(`100 costs by SKU\n  ${ran.reads} requests to find them, ${ran.writes} writes\n`);
}

async function limited(): Promise<void> {
  const plan = join(folder, 'faults.yaml');
  writeFileSync(plan, 'seed: 1\nrules:\n  - {fault: rate_limit, per_minute: 90}\n');
  const service = await serve(['--faults', plan]);
  const some = join(folder, 'some.csv');
  writeFileSync(
    some,
    ['name,phone', ...Array.from({ length: 359 }, (_, at) => `Row ${at},66${at}`)].join('\n'),
  );
  const ran = await run([boh, 'customers', 'import', some, '--mode', 'create', '--yes', '-v'], service.env);
  await service.stop();
  const { reads, writes, refusals } = requestsIn(ran);
  // The last request leaves when its window opens: count the windows before it.
  const windows = Math.ceil((reads + writes) / 90) - 1;
  const share = Math.round((windows * 60_000 * 1000) / (ran.seconds * 1000)) / 1000;
  process.stdout.write(
    `under 90 requests a minute\n  ${reads + writes} requests in ${ran.seconds.toFixed(1)} s: ${(share * 100).toFixed(1)} % of what the limit allows, ${refusals} refused\n`,
  );
}

function requestsIn({ stderr }: Ran): { reads: number; writes: number; refusals: number } {
  const of = (pattern: RegExp) => stderr.match(pattern)?.length ?? 0;
  return { reads: of(/^GET /gm), writes: of(/^(POST|PUT|DELETE) /gm), refusals: of(/: 429 in /g) };
}

async function serve(more: readonly string[] = []): Promise<Service> {
  // Nothing was imported or written down there; what is compiled of boh is kept, as after its first start on a machine.
  const home = mkdtempSync(join(folder, 'home-'));
  const own = { PATH: process.env.PATH ?? '', HOME: home, XDG_CACHE_HOME: join(folder, 'cache') };
  const child = spawn(
    process.execPath,
    [boh, 'sandbox', 'serve', '--memory', '--port', '0', '-o', 'json', ...more],
    {
      env: own,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const [line] = await once(child.stdout, 'data');
  const { base_url: baseUrl, token } = JSON.parse(String(line));
  return {
    env: { ...own, BOH_BASE_URL: baseUrl, BOH_TOKEN: token },
    async stop() {
      child.kill();
      await once(child, 'exit');
    },
  };
}

async function run(words: readonly string[], env: Record<string, string>): Promise<Ran> {
  const started = performance.now();
  const report = join(folder, 'use');
  const child = spawn(process.execPath, ['--require', reportUse, ...words], {
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
  const seconds = (performance.now() - started) / 1000;
  return { seconds, used: usedBy(report).seconds, exitCode, stdout, stderr };
}
