/**
 * What a plan over many declared records costs that all are as they should be, beside listing them in the same rounds:
 * `npm run bench:manifest -- [RECORDS]`, 10,000 unless told otherwise. The service is the sandbox in a process of its
 * own; each time is the best of five, each share the middle one of five rounds. What counts is the processor's time:
 * how long a run takes depends on what else the machine does, too.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../root.ts';
import { best, share, type Times } from './pairs.ts';
import { reportUse, usedBy } from './used.ts';

const count = Number(process.argv[2] ?? 10_000);
const rounds = 5;
const folder = mkdtempSync(join(tmpdir(), 'boh-bench-'));
const boh = join(root, 'bin/boh.js');

interface Ran {
  seconds: number;
  stdout: string;
  stderr: string;
}

const seeds = join(folder, 'seeds.yaml');
const service = spawn(
  process.execPath,
  [boh, 'sandbox', 'serve', '--memory', '--port', '0', '-o', 'json', '--apply', await seeded()],
  {
    env: { PATH: process.env.PATH, HOME: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  },
);
try {
  const [line] = await once(service.stdout, 'data');
  const { base_url: baseUrl, token } = JSON.parse(String(line));
  await measure({ PATH: process.env.PATH ?? '', HOME: folder, BOH_BASE_URL: baseUrl, BOH_TOKEN: token });
} finally {
  service.kill();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}

async function seeded(): Promise<string> {
  const { stdout } = await run(['seed', '--count', `customers=${count}`, '--print'], {
    PATH: process.env.PATH ?? '',
    HOME: folder,
  });
  writeFileSync(seeds, stdout);
  return seeds;
}

async function measure(env: Record<string, string>): Promise<void> {
  const customers = await run(['customers', 'list', '-o', 'json'], env);
  const own = JSON.parse(customers.stdout).filter(({ phone }: { phone: string }) => phone.startsWith('599'));
  const records = own.map(({ name, phone, email, dial_code }: Record<string, unknown>) => ({
    name,
    phone,
    email,
    dial_code,
  }));
  const table = join(folder, 'customers.csv');
  const rows = records.map((record: Record<string, unknown>) => Object.values(record).join(','));
  writeFileSync(table, ['name,phone,email,dial_code', ...rows].join('\n'));
  const json = join(folder, 'seeds.json');
  writeFileSync(json, JSON.stringify({ customers: records }));
  const lines: Record<string, string[]> = {
    'boh customers list': ['customers', 'list', '-o', 'ndjson'],
    'boh diff, a table': ['diff', table],
    'boh diff, JSON': ['diff', json],
    'boh diff, YAML': ['diff', seeds],
  };
  const [times, work]: [Times, Times] = [{}, {}];
  const peaks: Record<string, number> = {};
  const report = join(folder, 'used');
  for (let round = 0; round < rounds; round++) {
    for (const [name, words] of Object.entries(lines)) {
      const reported = { ...env, NODE_OPTIONS: `--require=${reportUse}`, REPORT: report };
      times[name] = [...(times[name] ?? []), (await run(words, reported)).seconds];
      const used = usedBy(report);
      work[name] = [...(work[name] ?? []), used.seconds];
      peaks[name] = Math.max(peaks[name] ?? 0, used.peak);
    }
  }
  process.stdout.write(`${count.toLocaleString('en')} declared records that match\n`);
  for (const [name, words] of Object.entries(lines)) {
    const { stderr } = await run([...words, '-v'], env);
    const requests = stderr.match(/^(GET|POST|PUT|DELETE) /gm)?.length ?? 0;
    const [factor, longer] = [work, times].map((each) =>
      (1 / share(each, 'boh customers list', name)).toFixed(2),
    );
    const told = [
      `${best(work[name]).toFixed(2)} s of the processor, ${factor} x listing`,
      `${best(times[name]).toFixed(2)} s in all, ${longer} x listing`,
      `${requests} requests`,
      `${Math.round(peaks[name] ?? 0)} MB`,
    ];
    process.stdout.write(`  ${name.padEnd(20)} ${told.join('; ')}\n`);
  }
}

async function run(words: readonly string[], env: Record<string, string>): Promise<Ran> {
  const started = performance.now();
  const child = spawn(process.execPath, [boh, ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk;
  });
  const [exitCode] = await once(child, 'close');
  if (exitCode !== 0) throw new Error(`boh ${words.join(' ')} ended with ${exitCode}: ${stderr}`);
  return { seconds: (performance.now() - started) / 1000, stdout, stderr };
}
