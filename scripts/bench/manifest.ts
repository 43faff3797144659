/**
 * Compares `boh diff` over many unchanged records with listing them: `npm run bench:manifest -- [RECORDS]` (default:
 * 10,000). The server is a sandbox in a separate process. Times are the best of five rounds, factors the median. The CPU
 * time is the relevant figure, because the run time also depends on other load on the machine.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../root.ts';
import { best, relativeSpeed, type Times } from './times.ts';
import { readUsage, usagePreload } from './usage.ts';

const count = Number(process.argv[2] ?? 10_000);
const roundCount = 5;
const folder = mkdtempSync(join(tmpdir(), 'boh-bench-'));
const boh = join(root, 'bin/boh.js');

interface RunResult {
  seconds: number;
  stdout: string;
  stderr: string;
}

const seedsFile = join(folder, 'seeds.yaml');
const service = spawn(
  process.execPath,
  [boh, 'sandbox', 'serve', '--memory', '--port', '0', '-o', 'json', '--apply', await writeSeeds()],
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

async function writeSeeds(): Promise<string> {
  const { stdout } = await run(['seed', '--count', `customers=${count}`, '--print'], {
    PATH: process.env.PATH ?? '',
    HOME: folder,
  });
  writeFileSync(seedsFile, stdout);
  return seedsFile;
}

async function measure(env: Record<string, string>): Promise<void> {
  const customers = await run(['customers', 'list', '-o', 'json'], env);
  const seededCustomers = JSON.parse(customers.stdout).filter(({ phone }: { phone: string }) =>
    phone.startsWith('599'),
  );
  const records = seededCustomers.map(({ name, phone, email, dial_code }: Record<string, unknown>) => ({
    name,
    phone,
    email,
    dial_code,
  }));
  const csvFile = join(folder, 'customers.csv');
  const rows = records.map((record: Record<string, unknown>) => Object.values(record).join(','));
  writeFileSync(csvFile, ['name,phone,email,dial_code', ...rows].join('\n'));
  const jsonFile = join(folder, 'seeds.json');
  writeFileSync(jsonFile, JSON.stringify({ customers: records }));
  const commandLines: Record<string, string[]> = {
    'boh customers list': ['customers', 'list', '-o', 'ndjson'],
    'boh diff, a table': ['diff', csvFile],
    'boh diff, JSON': ['diff', jsonFile],
    'boh diff, YAML': ['diff', seedsFile],
  };
  const [times, cpuTimes]: [Times, Times] = [{}, {}];
  const peaksMb: Record<string, number> = {};
  const report = join(folder, 'usage.json');
  for (let round = 0; round < roundCount; round++) {
    for (const [name, args] of Object.entries(commandLines)) {
      const reportEnv = { ...env, NODE_OPTIONS: `--require=${usagePreload}`, REPORT: report };
      times[name] = [...(times[name] ?? []), (await run(args, reportEnv)).seconds];
      const { cpuSeconds, peakMb } = readUsage(report);
      cpuTimes[name] = [...(cpuTimes[name] ?? []), cpuSeconds];
      peaksMb[name] = Math.max(peaksMb[name] ?? 0, peakMb);
    }
  }
  process.stdout.write(`${count.toLocaleString('en')} declared records, all unchanged\n`);
  for (const [name, args] of Object.entries(commandLines)) {
    const { stderr } = await run([...args, '-v'], env);
    const requests = stderr.match(/^(GET|POST|PUT|DELETE) /gm)?.length ?? 0;
    const [cpuFactor, factor] = [cpuTimes, times].map((timesByName) =>
      (1 / relativeSpeed(timesByName, 'boh customers list', name)).toFixed(2),
    );
    const figures = [
      `${best(cpuTimes[name]).toFixed(2)} s of CPU time, ${cpuFactor} x listing`,
      `${best(times[name]).toFixed(2)} s, ${factor} x listing`,
      `${requests} requests`,
      `${Math.round(peaksMb[name] ?? 0)} MB`,
    ];
    process.stdout.write(`  ${name.padEnd(20)} ${figures.join('; ')}\n`);
  }
}

async function run(args: readonly string[], env: Record<string, string>): Promise<RunResult> {
  const startMs = performance.now();
  const child = spawn(process.execPath, [boh, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk;
  });
  const [exitCode] = await once(child, 'close');
  if (exitCode !== 0) throw new Error(`boh ${args.join(' ')} exited with ${exitCode}: ${stderr}`);
  return { seconds: (performance.now() - startMs) / 1000, stdout, stderr };
}
