/**
 * Prints how many single records a second the served sandbox answers on one core, beside json-server and Prism's mock
 * with the same record on the same machine, and how soon it answers after its process has started.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from '../root.ts';
import { freePort, onCore, type Program, startSandbox, startServer } from './programs.ts';
import { fetchTools } from './tools.ts';

const rounds = Number(process.argv[2] ?? 3);
const seconds = 3;
const toReach = { perSecond: 3000, readyMs: 300 };

const folder = mkdtempSync(join(tmpdir(), 'boh-bench-'));
process.env.BOH_CONFIG_DIR = folder;
const running: Program[] = [];

try {
  const candidates = await startAll();
  const rates = new Map(candidates.map(({ name }) => [name, [] as number[]]));
  // Interleaved, so that a busy moment of the machine hits all alike; the first round warms up.
  for (let round = 0; round <= rounds; round++) {
    for (const { name, address, token } of candidates) {
      const rate = load(address, token, round === 0 ? 1 : seconds);
      if (round > 0) rates.get(name)?.push(rate);
    }
  }
  const own = median(rates.get('boh sandbox') ?? []);
  print(`Single records a second, one core, medians of ${rounds}:`);
  for (const [name, measured] of rates) {
    const rate = median(measured);
    const note = name === 'boh sandbox' ? `(to reach: ${toReach.perSecond})` : '';
    print(`  ${name.padEnd(24)}${String(rate).padStart(7)}${(rate / own).toFixed(2).padStart(8)}x  ${note}`);
  }
} finally {
  for (const program of running) await program.stop();
}
print(`Ready after its start, existing data: ${readyTimes()} ms (to reach: ${toReach.readyMs})`);
rmSync(folder, { recursive: true });

async function startAll() {
  const tools = fetchTools('json-server', '@stoplight/prism-cli');
  const sandbox = await startSandbox();
  running.push(sandbox);
  const { baseUrl, token } = sandbox;
  const headers = { authorization: `Bearer ${token}` };
  const read = async (path: string) => (await fetch(baseUrl + path, { headers })).json();
  const list = (await read('/customers')) as { data: { id: string }[] };
  const path = `/customers/${list.data[0]?.id}`;

  const description = join(folder, 'openapi.json');
  writeFileSync(description, JSON.stringify(await read('/openapi.json')));
  const records = join(folder, 'records.json');
  writeFileSync(records, JSON.stringify({ customers: list.data }));

  const [first, second] = [await freePort(), await freePort()];
  const jsonServer = [
    tools['json-server'],
    '--quiet',
    '--host',
    '127.0.0.1',
    '--port',
    String(first),
    records,
  ];
  running.push(await startServer(jsonServer, `http://127.0.0.1:${first}`));
  const prism = [
    tools['@stoplight/prism-cli'],
    'mock',
    '--port',
    String(second),
    '-v',
    'silent',
    description,
  ];
  running.push(await startServer(prism, `http://127.0.0.1:${second}`));
  return [
    { name: 'boh sandbox', address: baseUrl + path, token },
    { name: 'json-server', address: `http://127.0.0.1:${first}${path}`, token },
    { name: 'Prism mock', address: `http://127.0.0.1:${second}${path}`, token },
  ];
}

function load(address: string, token: string, duration: number): number {
  const script = fileURLToPath(new URL('load.ts', import.meta.url));
  const [command = '', ...args] = [...onCore(1), process.execPath, script, address, token, String(duration)];
  const { status, stdout } = spawnSync(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  if (status !== 0) throw new Error(`${address} could not be measured`);
  return Number(String(stdout));
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
