/**
 * `npm run fixtures`: writes one file of each kind that boh stores, with the built program, to test/fixtures/VERSION or
 * to the folder in the first argument. Later builds must read these files. Existing folders are never replaced.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { root } from './root.ts';

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const target = resolve(process.argv[2] ?? join(root, 'test', 'fixtures', version));
if (existsSync(target)) {
  process.stderr.write(`${target} already exists. Files of an earlier build are never replaced.\n`);
  process.exit(2);
}

const work = join(tmpdir(), 'boh-fixtures');
rmSync(work, { recursive: true, force: true });
mkdirSync(work, { recursive: true, mode: 0o700 });
const testEnv = {
  PATH: process.env.PATH ?? '',
  HOME: join(work, 'user'),
  BOH_CONFIG_DIR: join(work, 'home'),
};
/** Files that aren't copied: temporary files of running processes, caches of compiled code, and locks. */
const ignoredFiles = /^(user|home\/locks)\/|-(shm|hold|hold-journal)$/;

const launcher = join(root, 'bin', 'boh.js');

writeSettings();
writeAccount();
writeHistory();
writeCopies();
await interruptImport();
pack();

function write(name: string, text: string): void {
  writeFileSync(join(work, name), text);
}

/** Runs boh with the current profile, which is the sandbox "cafe", and returns stdout. Throws unless it exits with 0. */
function boh(args: string[], { input = '', env = {} }: { input?: string; env?: object } = {}): string {
  const result = spawnSync(process.execPath, [launcher, ...args], {
    cwd: work,
    env: { ...testEnv, ...env },
    encoding: 'utf8',
    input,
  });
  if (result.status !== 0)
    throw new Error(`boh ${args.join(' ')} exited with ${result.status}:\n${result.stderr}`);
  return result.stdout;
}

/** Runs a command line without quoted arguments. */
function runLine(commandLine: string): string {
  return boh(commandLine.split(' '));
}

/** Writes the configuration, profiles, an invalid token, a view, and the sandbox. */
function writeSettings(): void {
  runLine('sandbox reset --empty --yes --name cafe');
  runLine('profiles add cafe --sandbox --colour green');
  runLine('config set sandbox cafe --profile cafe');
  runLine('profiles add live --base-url https://api.example.com --protected --rate 60/min');
  boh(['auth', 'login', '--with-token', '--unchecked', '--profile', 'live'], {
    input: 'fixture-token-0123456789\n',
  });
  runLine('profiles use cafe');
  runLine('views save farms suppliers list --name Fresh --columns name,code');
}

function writeAccount(): void {
  write(
    'cafe.yaml',
    `tags:
  - { name: Seafood, type: inventory item }
  - { name: Seasonal, type: inventory item }
inventory-item-categories:
  - { name: Vegetables, reference: VEG }
inventory-items:
  - { sku: TOM-01, name: Tomato, name_localized: طماطم, storage_unit: kg, ingredient_unit: g,
      storage_to_ingredient_factor: 1000, costing_method: fixed-cost, cost: 4.25, category: Vegetables }
  - { sku: ONI-01, name: Onion, storage_unit: kg, ingredient_unit: g,
      storage_to_ingredient_factor: 1000, costing_method: fixed-cost, cost: 1.5, category: Vegetables }
suppliers:
  - name: Fresh Farms
    code: FF
    items:
      - { item: TOM-01, order_unit: crate, order_to_storage_factor: 12 }
  - { name: Sea Trade, code: ST }
  - { name: Old Mill, code: OM }
  - { name: Closed Kitchen, code: CK }
`,
  );
  runLine('apply cafe.yaml --yes');
}

/** Writes a journal of creates, updates, a delete and an undone update, and a change set that hasn't started. */
function writeHistory(): void {
  boh(['customers', 'create', '--name', 'Customer One', '--phone', '5550001']);
  boh(['customers', 'create', '--name', 'Customer Two', '--phone', '5550002']);
  boh(['suppliers', 'update', '@Sea Trade', '--phone', '5551234']);
  boh(['suppliers', 'update', '@Old Mill', '--email', 'mill@example.com']);
  runLine('undo --last --yes');
  boh(['suppliers', 'delete', '@Closed Kitchen', '--yes']);
  boh(['suppliers', 'update', '@Fresh Farms', '--contact-name', 'Front desk']);
  const source = ['suppliers', '--where', 'name=Fresh Farms', '--set', 'phone=5559999'];
  const period = ['--at', '2999-02-08 04:00', '--until', '2999-03-10 04:00', '--timezone', 'Asia/Riyadh'];
  boh(['change', 'create', 'season', ...source, ...period]);
}

/** Writes a mirror, backups, an export with its checkpoint, a snapshot and a saved plan, then updates them. */
function writeCopies(): void {
  runLine('mirror sync');
  runLine('backup first');
  runLine('backup nightly');
  runLine('suppliers export --since suppliers.state --to suppliers.ndjson');
  runLine('sandbox snapshot save before --name cafe');
  boh(['suppliers', 'update', '@Old Mill', '--code', 'OM-2']);
  runLine('tags create --name Late --type 3');
  runLine('mirror sync');
  runLine('backup nightly --since-last');
  runLine('suppliers export --since suppliers.state --to suppliers.ndjson');
  write(
    'wanted.yaml',
    'tags:\n  - { name: Planned, type: inventory item }\nsuppliers:\n  - { name: Sea Trade, phone: "5559999" }\n',
  );
  runLine('plan wanted.yaml --out wanted.plan');
}

/**
 * Writes the ledger of an interrupted import. Three rows are completed. The fourth is written, but its response is lost.
 * boh is killed while it waits for the response to the fifth, which the service never completes.
 */
async function interruptImport(): Promise<void> {
  const rows = Array.from({ length: 8 }, (_, index) => `Row ${index + 1},777000${index + 1}`);
  write('rows.csv', `name,phone\n${rows.join('\n')}\n`);
  const route = 'POST /customers';
  const rules = [
    // The ledger is only written row by row if requests are slow.
    { route, fault: 'latency', milliseconds: 100, nth: [1, 2, 3, 4] },
    { route, fault: 'reset', after_commit: true, nth: [4] },
    { route, fault: 'latency', milliseconds: 600_000, nth: [5] },
    { fault: 'rate_limit', per_minute: 90 },
  ].flatMap((rule) => ['--rule', JSON.stringify(rule)]);
  boh(['sandbox', 'faults', 'set', '--name', 'cafe', ...rules]);
  const server = start(['sandbox', 'serve', '--port', '0', '--name', 'cafe', '-o', 'json']);
  const [firstLine] = await once(createInterface(server.stdout as Readable), 'line');
  const { base_url: baseUrl, token } = JSON.parse(String(firstLine));
  const env = { BOH_BASE_URL: baseUrl, BOH_TOKEN: token };
  const args = ['customers', 'import', 'rows.csv', '--key', 'phone', '--yes', '--concurrency', '1'];
  const importProcess = start(args, env);
  for (let unknownCount = 0; unknownCount < 2; ) {
    await pause(200);
    [{ unknown: unknownCount }] = JSON.parse(boh(['runs', 'list', '--json']));
  }
  await stop(importProcess, 'SIGKILL');
  await stop(server, 'SIGTERM');
  boh(['sandbox', 'faults', 'clear', '--name', 'cafe']);
}

function start(args: string[], env: object = {}): ChildProcess {
  return spawn(process.execPath, [launcher, ...args], {
    cwd: work,
    env: { ...testEnv, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  child.kill(signal);
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** Copies the files to the target folder. Throws if a file contains a path of this machine. */
function pack(): void {
  const files = readdirSync(work, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(work, join(entry.parentPath, entry.name)));
  for (const file of files.filter((name) => !ignoredFiles.test(name))) {
    const content = readFileSync(join(work, file));
    const machinePath = [work, root, homedir()].find((folder) => content.includes(folder));
    if (machinePath !== undefined) throw new Error(`${file} contains ${machinePath}.`);
    const portable = file.includes('-heads/') ? clearFileIdentities(content) : content;
    // Databases contain mostly zeros.
    const isDatabase = /\.sqlite(-wal)?$/.test(file);
    const path = join(target, isDatabase ? `${file}.gz` : file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, isDatabase ? gzipSync(portable, { level: 9 }) : portable);
  }
  rmSync(work, { recursive: true });
  process.stdout.write(`${target}\n`);
}

/** Clears the inode and creation time at the end of each line, which only apply to this machine. Tests set others. */
function clearFileIdentities(heads: Buffer): string {
  return heads.toString('utf8').replaceAll(/("\d+",){3}"\d+"\]$/gm, '"0","0","0","0"]');
}
