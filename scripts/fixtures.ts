/**
 * Makes one of each file that boh keeps, with the built program, in test/fixtures/VERSION or in the folder that is named:
 * what later builds must read. Run it with `npm run fixtures`; it never replaces what an earlier build has written.
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
  process.stderr.write(`${target} exists. Files of an earlier build are never made again.\n`);
  process.exit(2);
}

const work = join(tmpdir(), 'boh-fixtures');
rmSync(work, { recursive: true, force: true });
mkdirSync(work, { recursive: true, mode: 0o700 });
const ownEnv = {
  PATH: process.env.PATH ?? '',
  HOME: join(work, 'user'),
  BOH_CONFIG_DIR: join(work, 'home'),
};
/** What processes keep beside files while they run, caches of compiled code, and locks with ids of processes. */
const ofTheMachine = /^(user|home\/locks)\/|-(shm|hold|hold-journal)$/;

const launcher = join(root, 'bin', 'boh.js');

makeSettings();
makeAccount();
makeHistory();
makeCopies();
await interruptImport();
pack();

function write(name: string, text: string): void {
  writeFileSync(join(work, name), text);
}

/** Runs boh as the profile in use, which is the sandbox "cafe". Throws where it doesn't exit with 0. */
function boh(words: string[], { input = '', env = {} }: { input?: string; env?: object } = {}): string {
  const ran = spawnSync(process.execPath, [launcher, ...words], {
    cwd: work,
    env: { ...ownEnv, ...env },
    encoding: 'utf8',
    input,
  });
  if (ran.status !== 0) throw new Error(`boh ${words.join(' ')} exited with ${ran.status}:\n${ran.stderr}`);
  return ran.stdout;
}

/** Runs a line without quoted words. */
function line(text: string): string {
  return boh(text.split(' '));
}

/** Configuration, profiles, a token that no service knows, a view, and the sandbox. */
function makeSettings(): void {
  line('sandbox reset --empty --yes --name cafe');
  line('profiles add cafe --sandbox --colour green');
  line('config set sandbox cafe --profile cafe');
  line('profiles add live --base-url https://api.example.com --protected --rate 60/min');
  boh(['auth', 'login', '--with-token', '--unchecked', '--profile', 'live'], {
    input: 'fixture-token-0123456789\n',
  });
  line('profiles use cafe');
  line('views save farms suppliers list --name Fresh --columns name,code');
}

function makeAccount(): void {
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
  line('apply cafe.yaml --yes');
}

/** Creates, updates, a delete, an undone update, and a change set that has not begun. */
function makeHistory(): void {
  boh(['customers', 'create', '--name', 'Customer One', '--phone', '5550001']);
  boh(['customers', 'create', '--name', 'Customer Two', '--phone', '5550002']);
  boh(['suppliers', 'update', '@Sea Trade', '--phone', '5551234']);
  boh(['suppliers', 'update', '@Old Mill', '--email', 'mill@example.com']);
  line('undo --last --yes');
  boh(['suppliers', 'delete', '@Closed Kitchen', '--yes']);
  boh(['suppliers', 'update', '@Fresh Farms', '--contact-name', 'Front desk']);
  const source = ['suppliers', '--where', 'name=Fresh Farms', '--set', 'phone=5559999'];
  const period = ['--at', '2999-02-08 04:00', '--until', '2999-03-10 04:00', '--timezone', 'Asia/Riyadh'];
  boh(['change', 'create', 'season', ...source, ...period]);
}

/** A mirror, backups, an export with its checkpoint, a snapshot and a saved plan: whole first, then with what has changed. */
function makeCopies(): void {
  line('mirror sync');
  line('backup first');
  line('backup nightly');
  line('suppliers export --since suppliers.state --to suppliers.ndjson');
  line('sandbox snapshot save before --name cafe');
  boh(['suppliers', 'update', '@Old Mill', '--code', 'OM-2']);
  line('tags create --name Late --type 3');
  line('mirror sync');
  line('backup nightly --since-last');
  line('suppliers export --since suppliers.state --to suppliers.ndjson');
  write(
    'wanted.yaml',
    'tags:\n  - { name: Planned, type: inventory item }\nsuppliers:\n  - { name: Sea Trade, phone: "5559999" }\n',
  );
  line('plan wanted.yaml --out wanted.plan');
}

/**
 * Three rows are done. The service did the fourth and its answer was lost; boh is killed while it waits for the answer to
 * the fifth, which the service never does.
 */
async function interruptImport(): Promise<void> {
  const rows = Array.from({ length: 8 }, (_, at) => `Row ${at + 1},777000${at + 1}`);
  write('rows.csv', `name,phone\n${rows.join('\n')}\n`);
  const route = 'POST /customers';
  const rules = [
    // Rows are written down one by one only where requests take their time.
    { route, fault: 'latency', milliseconds: 100, nth: [1, 2, 3, 4] },
    { route, fault: 'reset', after_commit: true, nth: [4] },
    { route, fault: 'latency', milliseconds: 600_000, nth: [5] },
    { fault: 'rate_limit', per_minute: 90 },
  ].flatMap((rule) => ['--rule', JSON.stringify(rule)]);
  boh(['sandbox', 'faults', 'set', '--name', 'cafe', ...rules]);
  const served = start(['sandbox', 'serve', '--port', '0', '--name', 'cafe', '-o', 'json']);
  const [first] = await once(createInterface(served.stdout as Readable), 'line');
  const { base_url: address, token } = JSON.parse(String(first));
  const env = { BOH_BASE_URL: address, BOH_TOKEN: token };
  const words = ['customers', 'import', 'rows.csv', '--key', 'phone', '--yes', '--concurrency', '1'];
  const importing = start(words, env);
  for (let unknown = 0; unknown < 2; ) {
    await pause(200);
    [{ unknown }] = JSON.parse(boh(['runs', 'list', '--json']));
  }
  await stop(importing, 'SIGKILL');
  await stop(served, 'SIGTERM');
  boh(['sandbox', 'faults', 'clear', '--name', 'cafe']);
}

function start(words: string[], env: object = {}): ChildProcess {
  return spawn(process.execPath, [launcher, ...words], {
    cwd: work,
    env: { ...ownEnv, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  child.kill(signal);
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** Copies what was made to the target. Throws where it names a folder of this machine. */
function pack(): void {
  const files = readdirSync(work, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(work, join(entry.parentPath, entry.name)));
  for (const file of files.filter((name) => !ofTheMachine.test(name))) {
    const content = readFileSync(join(work, file));
    const leaked = [work, root, homedir()].find((folder) => content.includes(folder));
    if (leaked !== undefined) throw new Error(`${file} names ${leaked}.`);
    // Databases hold mostly zeros.
    const plain = file.includes('-heads/') ? withoutIdentities(content) : content;
    const isDatabase = /\.sqlite(-wal)?$/.test(file);
    const path = join(target, isDatabase ? `${file}.gz` : file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, isDatabase ? gzipSync(plain, { level: 9 }) : plain);
  }
  rmSync(work, { recursive: true });
  process.stdout.write(`${target}\n`);
}

/** The inodes and moments of creation at the end of each line are those of this machine: the tests put in their own. */
function withoutIdentities(heads: Buffer): string {
  return heads.toString('utf8').replaceAll(/("\d+",){3}"\d+"\]$/gm, '"0","0","0","0"]');
}
