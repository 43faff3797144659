/**
 * Prints how many requests the served sandbox answers for each second of the processor, beside json-server and Prism's
 * mock with the same records on the same machine, and how soon it answers after its process has started. A server has a
 * core for itself: where nothing else runs, a second of the processor is a second.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from '../root.ts';
import { fetchTools } from '../tools.ts';
import { freePort, onCore, type Program, startSandbox, startServer } from './programs.ts';

const rounds = Number(process.argv[2] ?? 3);
const seconds = Number(process.argv[3] ?? 3);
const readyMs = 300;

/** What is asked of each, and how often a second is to be reached. */
const kinds = {
  'single records': { goal: 10_000 },
  'pages of 50': { goal: 1500 },
  creations: { goal: 3000 },
  // What was read has to be read again then.
  'nine records, a creation': { goal: 3000 },
};
type Kind = keyof typeof kinds;

const body = JSON.stringify({ name: 'Customer NUMBER', dial_code: 966, phone: 'NUMBER' });

interface Candidate {
  name: string;
  program: Program;
  token: string;
  /** What it is asked in turn, as `load.ts` takes it; nothing where it can't answer. */
  addresses: Partial<Record<Kind, readonly string[]>>;
}

const folder = mkdtempSync(join(tmpdir(), 'boh-bench-'));
process.env.BOH_CONFIG_DIR = folder;
const running: Program[] = [];

try {
  const candidates = await startAll();
  for (const kind of Object.keys(kinds) as Kind[]) compare(kind, candidates);
} finally {
  for (const program of running) await program.stop();
}
print(`Ready after its start, existing data: ${readyTimes()} ms (to reach: ${readyMs})`);
rmSync(folder, { recursive: true });

function compare(kind: Kind, candidates: readonly Candidate[]): void {
  const rates = new Map<string, number[]>();
  // Interleaved, so that a busy moment of the machine hits all alike; the first round warms up.
  for (let round = 0; round <= rounds; round++) {
    for (const { name, program, token, addresses } of candidates) {
      const asked = addresses[kind];
      if (asked === undefined) continue;
      const rate = load(program, asked, token, round === 0 ? 1 : seconds);
      if (round > 0) rates.set(name, [...(rates.get(name) ?? []), rate]);
    }
  }
  const own = median(rates.get('boh sandbox') ?? []);
  print(`${kind}, for each second of one core, medians of ${rounds} (to reach: ${kinds[kind].goal}):`);
  for (const [name, measured] of rates) {
    const rate = Math.round(median(measured));
    print(`  ${name.padEnd(24)}${String(rate).padStart(7)}${(rate / own).toFixed(2).padStart(8)}x`);
  }
}

async function startAll(): Promise<Candidate[]> {
  const tools = fetchTools('json-server', '@stoplight/prism-cli');
  const sandbox = await startSandbox();
  running.push(sandbox);
  const { baseUrl, token } = sandbox;
  const headers = { authorization: `Bearer ${token}` };
  const read = async (path: string) => (await fetch(baseUrl + path, { headers })).json();
  const list = (await read('/customers')) as { data: { id: string }[] };
  const paths = list.data.map(({ id }) => `/customers/${id}`);

  const description = join(folder, 'openapi.json');
  writeFileSync(description, JSON.stringify(await read('/openapi.json')));
  const records = join(folder, 'records.json');
  writeFileSync(records, JSON.stringify({ customers: list.data }));

  const [first, second] = [await freePort(), await freePort()];
  const host = '127.0.0.1';
  const jsonServer = `http://${host}:${first}`;
  const one = [tools['json-server'], '--quiet', '--host', host, '--port', String(first), records];
  const prism = `http://${host}:${second}`;
  const other = [
    tools['@stoplight/prism-cli'],
    'mock',
    '--port',
    String(second),
    '-v',
    'silent',
    description,
  ];
  const programs = [await startServer(one, jsonServer), await startServer(other, prism)] as const;
  running.push(...programs);
  const all = (base: string) => ({
    'single records': paths.map((path) => base + path),
    'pages of 50': [`${base}/customers`],
    creations: [`+${base}/customers`],
    'nine records, a creation': [...paths.slice(0, 9).map((path) => base + path), `+${base}/customers`],
  });
  return [
    { name: 'boh sandbox', program: sandbox, token, addresses: all(baseUrl) },
    { name: 'json-server', program: programs[0], token, addresses: all(jsonServer) },
    // Its answers are samples: a page is of one record.
    {
      name: 'Prism mock',
      program: programs[1],
      token,
      addresses: { 'single records': paths.map((path) => prism + path) },
    },
  ];
}

function load(program: Program, asked: readonly string[], token: string, duration: number): number {
  const script = fileURLToPath(new URL('load.ts', import.meta.url));
  const words = [script, token, String(duration), body, ...asked];
  const [command = '', ...args] = [...onCore(1), process.execPath, ...words];
  const before = workOf(program);
  const { status, stdout } = spawnSync(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  if (status !== 0) throw new Error(`${asked[0]} could not be measured`);
  const work = workOf(program) - before;
  return Number(String(stdout)) / (work > 0 ? work : duration);
}

/** Seconds of the processor that a process has had, in hundredths; 0 where the system doesn't say so in this way. */
function workOf({ child }: Program): number {
  const file = `/proc/${child.pid}/stat`;
  if (!existsSync(file)) return 0;
  const [, ...facts] = readFileSync(file, 'utf8').split(') ');
  const [user = 0, system = 0] = facts.join('').split(' ').slice(11, 13).map(Number);
  return (user + system) / 100;
}

/** The median of whole starts up to the line that says where it is. */
function readyTimes(): number {
  const boh = join(root, 'bin/boh.js');
  spawnSync(process.execPath, [boh, 'sandbox', 'status'], { stdio: 'ignore' });
  const script = `
    const { spawn } = require('node:child_process');
    const started = performance.now();
    const child = spawn(process.execPath, [${JSON.stringify(boh)}, 'sandbox', 'serve', '--port', '0', '-o', 'json']);
    child.stdout.once('data', () => {
      process.stdout.write(String(performance.now() - started));
      child.kill();
    });`;
  const times = Array.from({ length: 9 }, () =>
    Number(String(spawnSync(process.execPath, ['-e', script]).stdout)),
  );
  return Math.round(median(times));
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
