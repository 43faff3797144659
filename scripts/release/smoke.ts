/**
 * The smoke suite: runs an installed boh as a user does, and prints a line for each step.
 * `npm run smoke -- [--work FOLDER] COMMAND...`, for example `npm run smoke -- boh`. FOLDER is where the program may write
 * files, if it sees only a part of this machine. Exit code 1 if a step fails.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import manifest from '../../package.json' with { type: 'json' };
import { Program, type Started } from './smoke-program.ts';

const { values, positionals } = parseArgs({
  options: { work: { type: 'string', default: tmpdir() } },
  allowPositionals: true,
});

/** Rows of the import that is killed. */
const rowCount = 40;
/** Rows that must be done before the kill, so that the run has both done and open rows. */
const rowsBeforeKill = 3;
/** Between two looks at a run, and how often to look before giving up. */
const pollMs = 100;
const maxPolls = 600;

const folder = mkdtempSync(join(values.work, 'boh-smoke-'));
const boh = new Program(positionals.length === 0 ? ['boh'] : positionals, folder);
const { run, json, start } = boh;

const steps: Record<string, () => Promise<void>> = {
  version: async () => {
    assert.equal((await run(['--version'])).stdout, `boh ${manifest.version}\n`);
    assert.equal((await json(['version', '-o', 'json'])).boh, manifest.version);
  },
  help: async () => {
    assert.match((await run(['--help'])).stdout, /^Usage: boh /m);
    assert.match((await run(['customers', 'list', '--help'])).stdout, /--updated-after <time>/);
    assert.match((await run(['man'])).stdout, /^\.TH /m);
  },
  completion: async () => {
    assert.match((await run(['completion', 'bash'])).stdout, /^complete .*boh/m);
    assert.match((await run(['__complete', 'zsh', '=li', 'customers'])).stdout, /^list\t/m);
  },
  'list of the sandbox': async () => {
    const names = await json(['--sandbox', 'customers', 'list', '-o', 'json', '--query', '[].name']);
    assert.ok(names.includes('Huda Al-Amin'));
  },
  'write and undo': async () => {
    const supplier = await json(['--sandbox', 'suppliers', 'create', '--name', 'Smoke Farms', '-o', 'json']);
    await run(['--sandbox', 'undo', '--last', '--yes']);
    const { exitCode } = await run(['--sandbox', 'suppliers', 'get', '@Smoke Farms'], { mayFail: true });
    assert.equal(exitCode, 5, `${supplier.id} is still there`);
  },
  'import, killed and resumed': () => withService(importWithKill),
  'plan and apply': async () => {
    const file = boh.file('menu.yaml');
    writeFileSync(file, 'categories:\n  - { name: Smoke, reference: smoke }\n');
    const plan = ['--sandbox', 'plan', file, '--detailed-exitcode'];
    assert.equal((await run(plan, { mayFail: true })).exitCode, 10);
    await run(['--sandbox', 'apply', file, '--yes']);
    assert.equal((await run(plan, { mayFail: true })).exitCode, 0);
  },
  'mirror sync and query': async () => {
    const mirror = ['--to', `sqlite:${boh.file('mirror.sqlite')}`];
    await run(['--sandbox', 'mirror', 'sync', ...mirror, '--resource', 'suppliers', '-o', 'json']);
    // The mirror keeps deleted records.
    const sql = 'select count(*) as n from suppliers where deleted_at is null';
    const [counted] = await json(['--sandbox', 'mirror', 'query', sql, ...mirror, '-o', 'json']);
    const listed = await json(['--sandbox', 'suppliers', 'list', '-o', 'json']);
    assert.equal(counted.n, listed.length);
  },
  workbook: async () => {
    const book = boh.file('suppliers.xlsx');
    await run(['--sandbox', 'suppliers', 'export', '--to', book]);
    await run(['--sandbox', 'suppliers', 'import', book, '--dry-run']);
  },
  'sign-in': () => withService(signIn),
};

let failed = 0;
try {
  for (const [name, step] of Object.entries(steps)) await report(name, step);
} finally {
  await boh.end();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}
process.exitCode = failed === 0 ? 0 : 1;

async function report(name: string, step: () => Promise<void>): Promise<void> {
  try {
    await step();
    process.stdout.write(`ok     ${name}\n`);
  } catch (error) {
    failed++;
    process.stdout.write(`FAILED ${name}: ${error instanceof Error ? error.message : error}\n`);
  }
}

/** A served sandbox: its address, and what it takes to sign in. */
interface Service {
  base_url: string;
  authorize_url: string;
  client_id: string;
  client_secret: string;
  token: string;
}

async function withService(step: (service: Service) => Promise<void>): Promise<void> {
  const server = start(['sandbox', 'serve', '--memory', '--auto-approve', '--port', '0', '-o', 'json']);
  const [line] = await server.prints(/^\{.*\}$/m);
  await step(JSON.parse(line));
  await server.stop('SIGTERM');
}

async function importWithKill({ base_url: baseUrl, token }: Service): Promise<void> {
  const env = { BOH_BASE_URL: baseUrl, BOH_TOKEN: token };
  const file = boh.file('suppliers.csv');
  const rows = Array.from({ length: rowCount }, (_, row) => `Supplier ${row},SMOKE-${row}\n`);
  writeFileSync(file, `name,code\n${rows.join('')}`);
  const words = ['suppliers', 'import', file, '--key', 'code', '--yes', '--rate', '10/s'];
  const importing = start(words, { env });
  await untilPartlyDone(importing, env);
  await importing.stop('SIGKILL');
  const [killed] = await json(['runs', 'list', '-o', 'json'], { env });
  assert.ok(killed.done < rowCount, `${killed.done} of ${rowCount} rows were done when it was killed`);
  await run(['runs', 'resume', killed.id, '--yes'], { env });
  const codes = await json(['suppliers', 'list', '-o', 'json', '--query', '[].code'], { env });
  const ours = codes.filter((code: string) => code.startsWith('SMOKE-'));
  assert.deepEqual([ours.length, new Set(ours).size], [rowCount, rowCount]);
}

async function untilPartlyDone(importing: Started, env: Record<string, string>): Promise<void> {
  for (let poll = 0; poll < maxPolls; poll++) {
    const [newest] = await json(['runs', 'list', '-o', 'json'], { env });
    if (newest?.done >= rowsBeforeKill) return;
    if (importing.hasEnded()) break;
    await sleep(pollMs);
  }
  throw new Error(`the import wrote no rows: ${importing.output()}`);
}

async function signIn(service: Service): Promise<void> {
  const address = ['--base-url', service.base_url, '--authorize-url', service.authorize_url];
  const login = start(
    ['auth', 'login', '--profile', 'smoke', '--client-id', service.client_id, ...address, '--port', '0'],
    { env: { BOH_CLIENT_SECRET: service.client_secret } },
  );
  const [page] = await login.prints(/^http:\/\/\S+\/authorize\S+$/m);
  // The service approves at once and redirects to boh, which waits on this machine.
  const answer = await fetch(page);
  assert.equal(answer.status, 200);
  assert.equal(await login.ended, 0, login.output());
  const status = await json(['auth', 'status', '--check', '--profile', 'smoke', '-o', 'json']);
  assert.equal(status.checked, true);
  await run(['auth', 'logout', '--profile', 'smoke']);
}
