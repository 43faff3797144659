/**
 * Prints the requests per CPU second of the sandbox server, json-server and Prism's mock with the same records on the
 * same machine, and the start-up time of the sandbox. Each server runs on a core of its own, so a CPU second is a second
 * if the machine is idle.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from '../root.ts';
import { fetchTools } from '../tools.ts';
import { coreArgs, freePort, type Program, startSandbox, startServer } from './programs.ts';

const roundCount = Number(process.argv[2] ?? 3);
const seconds = Number(process.argv[3] ?? 3);
/** The goals in milliseconds. */
const goals = { firstAnswer: 250, create: 10, restoreInProcess: 2, restoreOverHttp: 5 };

/** The kinds of requests, with the target number of requests per second. */
const workloads = {
  'single records': { target: 10_000 },
  'pages of 50': { target: 1500 },
  creations: { target: 3000 },
  // After a write, the sandbox reads records from the file again.
  'nine records, a creation': { target: 3000 },
};
type Workload = keyof typeof workloads;

const body = JSON.stringify({ name: 'Customer NUMBER', dial_code: 966, phone: 'NUMBER' });

interface Candidate {
  name: string;
  program: Program;
  token: string;
  /** The request targets for `load.ts`, without workloads that the server doesn't support. */
  targets: Partial<Record<Workload, readonly string[]>>;
}

const folder = mkdtempSync(join(tmpdir(), 'boh-bench-'));
process.env.BOH_CONFIG_DIR = folder;
const runningPrograms: Program[] = [];

try {
  const candidates = await startAll();
  for (const workload of Object.keys(workloads) as Workload[]) compare(workload, candidates);
} finally {
  for (const program of runningPrograms) await program.stop();
}
await measureControl();
print(
  `First answer after the start, with existing data: ${await firstAnswerMs()} ms (target: ${goals.firstAnswer})`,
);
rmSync(folder, { recursive: true });

function compare(workload: Workload, candidates: readonly Candidate[]): void {
  const rates = new Map<string, number[]>();
  // The servers take turns, so that other load on the machine affects all servers. The first round is a warm-up.
  for (let round = 0; round <= roundCount; round++) {
    for (const { name, program, token, targets } of candidates) {
      const urls = targets[workload];
      if (urls === undefined) continue;
      const rate = measureRate(program, urls, token, round === 0 ? 1 : seconds);
      if (round > 0) rates.set(name, [...(rates.get(name) ?? []), rate]);
    }
  }
  const sandboxRate = median(rates.get('boh sandbox') ?? []);
  print(`${workload}, per CPU second, medians of ${roundCount} (target: ${workloads[workload].target}):`);
  for (const [name, roundRates] of rates) {
    const rate = Math.round(median(roundRates));
    print(`  ${name.padEnd(24)}${String(rate).padStart(7)}${(rate / sandboxRate).toFixed(2).padStart(8)}x`);
  }
}

async function startAll(): Promise<Candidate[]> {
  const tools = fetchTools('json-server', '@stoplight/prism-cli');
  const sandbox = await startSandbox();
  runningPrograms.push(sandbox);
  const { baseUrl, token } = sandbox;
  const headers = { authorization: `Bearer ${token}` };
  const read = async (path: string) => (await fetch(baseUrl + path, { headers })).json();
  const list = (await read('/customers')) as { data: { id: string }[] };
  const paths = list.data.map(({ id }) => `/customers/${id}`);

  const openApiFile = join(folder, 'openapi.json');
  writeFileSync(openApiFile, JSON.stringify(await read('/openapi.json')));
  const recordsFile = join(folder, 'records.json');
  writeFileSync(recordsFile, JSON.stringify({ customers: list.data }));

  const [jsonServerPort, prismPort] = [await freePort(), await freePort()];
  const host = '127.0.0.1';
  const jsonServer = `http://${host}:${jsonServerPort}`;
  const jsonServerArgs = [
    tools['json-server'],
    '--quiet',
    '--host',
    host,
    '--port',
    String(jsonServerPort),
    recordsFile,
  ];
  const prism = `http://${host}:${prismPort}`;
  const prismArgs = [
    tools['@stoplight/prism-cli'],
    'mock',
    '--port',
    String(prismPort),
    '-v',
    'silent',
    openApiFile,
  ];
  const programs = [
    await startServer(jsonServerArgs, jsonServer),
    await startServer(prismArgs, prism),
  ] as const;
  runningPrograms.push(...programs);
  const allTargets = (serverUrl: string) => ({
    'single records': paths.map((path) => serverUrl + path),
    'pages of 50': [`${serverUrl}/customers`],
    creations: [`+${serverUrl}/customers`],
    'nine records, a creation': [
      ...paths.slice(0, 9).map((path) => serverUrl + path),
      `+${serverUrl}/customers`,
    ],
  });
  return [
    { name: 'boh sandbox', program: sandbox, token, targets: allTargets(baseUrl) },
    { name: 'json-server', program: programs[0], token, targets: allTargets(jsonServer) },
    // It responds with examples, so its pages only have one record.
    {
      name: 'Prism mock',
      program: programs[1],
      token,
      targets: { 'single records': paths.map((path) => prism + path) },
    },
  ];
}

function measureRate(
  program: Program,
  urls: readonly string[],
  token: string,
  durationSeconds: number,
): number {
  const script = fileURLToPath(new URL('load.ts', import.meta.url));
  const scriptArgs = [script, token, String(durationSeconds), body, ...urls];
  const [command = '', ...args] = [...coreArgs(1), process.execPath, ...scriptArgs];
  const cpuSecondsBefore = cpuSecondsOf(program);
  const { status, stdout } = spawnSync(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  if (status !== 0) throw new Error(`${urls[0]} could not be measured`);
  const cpuSeconds = cpuSecondsOf(program) - cpuSecondsBefore;
  return Number(String(stdout)) / (cpuSeconds > 0 ? cpuSeconds : durationSeconds);
}

/** Returns the CPU seconds of a process, precise to hundredths; 0 on systems without /proc. */
function cpuSecondsOf({ child }: Program): number {
  const file = `/proc/${child.pid}/stat`;
  if (!existsSync(file)) return 0;
  const [, ...fields] = readFileSync(file, 'utf8').split(') ');
  const [user = 0, system = 0] = fields.join('').split(' ').slice(11, 13).map(Number);
  return (user + system) / 100;
}

/** Prints the times of the control: over HTTP, and in the process with `boh/testing`. */
async function measureControl(): Promise<void> {
  const server = await startSandbox();
  const post = async (path: string, json: object) => {
    const headers = { authorization: `Bearer ${server.controlToken}` };
    const init = { method: 'POST', headers, body: JSON.stringify(json) };
    const response = await fetch(`${server.baseUrl}/_boh${path}`, init);
    if (!response.ok) throw new Error(`${path} returned ${response.status}`);
    await response.text();
  };
  await post('/snapshots', { name: 'start' });
  const residentMb = () => residentBytesOf(server) / 1e6;
  const create = await medianMs(100, () => post('/sandboxes', { from: 'demo' }));
  print(
    `A new sandbox: ${create} ms (target: ${goals.create}); 100 of them: ${Math.round(residentMb())} MB with the server`,
  );
  const restore = await medianMs(100, () => post('/snapshots/start/restore', {}));
  print(`Restore over HTTP: ${restore} ms (target: ${goals.restoreOverHttp})`);
  await server.stop();
  // Not by the name of the package: the type check also runs before the first build.
  const builtModule = new URL('../../dist/testing.cjs', import.meta.url).href;
  const { startSandbox: startInProcess }: typeof import('../../src/testing/index.ts') = await import(
    builtModule
  );
  const sandbox = await startInProcess();
  await sandbox.snapshot('start');
  const inProcess = await medianMs(100, () => sandbox.restore('start'));
  print(`Restore in the process: ${inProcess} ms (target: ${goals.restoreInProcess})`);
  await sandbox.stop();
}

async function medianMs(count: number, work: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const startMs = performance.now();
    await work();
    times.push(performance.now() - startMs);
  }
  return Math.round(median(times) * 10) / 10;
}

/** Returns the memory of a process; 0 on systems without /proc. */
function residentBytesOf({ child }: Program): number {
  const file = `/proc/${child.pid}/statm`;
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split(' ')[1]) * 4096 : 0;
}

/** Returns the median time from the start of the process to its first answer, in milliseconds. */
async function firstAnswerMs(): Promise<number> {
  const boh = join(root, 'bin/boh.js');
  spawnSync(process.execPath, [boh, 'sandbox', 'status'], { stdio: 'ignore' });
  const port = await freePort();
  const times: number[] = [];
  for (let round = 0; round < 9; round++) {
    const startMs = performance.now();
    const child = spawn(process.execPath, [boh, 'sandbox', 'serve', '--port', String(port), '-o', 'json'], {
      stdio: 'ignore',
    });
    while (
      !(await fetch(`http://127.0.0.1:${port}/health`).then(
        ({ ok }) => ok,
        () => false,
      ))
    ) {}
    times.push(performance.now() - startMs);
    child.kill();
    await once(child, 'exit');
  }
  return Math.round(median(times));
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
