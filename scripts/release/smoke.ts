/**
 * The smoke suite: runs an installed boh as users do, and prints a line for each step.
 * `npm run smoke -- [--work FOLDER] COMMAND...`, for example `npm run smoke -- boh`. FOLDER is a folder to which the
 * program can write, for programs in a container. Exits with 1 if a step fails.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import manifest from '../../package.json' with { type: 'json' };
import { Program, type RunningCommand } from './smoke-program.ts';

const { values, positionals } = parseArgs({
  options: { work: { type: 'string', default: tmpdir() } },
  allowPositionals: true,
});

/** The number of rows of the import that is killed. */
const rowCount = 40;
/** The number of completed rows before the kill, so that the run has both completed and pending rows. */
const rowsBeforeKill = 3;
/** The interval and the number of checks of a run. */
const pollIntervalMs = 100;
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
    assert.equal(exitCode, 5, `${supplier.id} was not deleted by undo`);
  },
  'import, killed and resumed': () => withSandbox(importWithKill),
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
    // The mirror contains deleted records.
    const sql = 'select count(*) as n from suppliers where deleted_at is null';
    const [row] = await json(['--sandbox', 'mirror', 'query', sql, ...mirror, '-o', 'json']);
    const suppliers = await json(['--sandbox', 'suppliers', 'list', '-o', 'json']);
    assert.equal(row.n, suppliers.length);
  },
  workbook: async () => {
    const workbook = boh.file('suppliers.xlsx');
    await run(['--sandbox', 'suppliers', 'export', '--to', workbook]);
    await run(['--sandbox', 'suppliers', 'import', workbook, '--dry-run']);
  },
  'sign-in': () => withSandbox(signIn),
};

let failureCount = 0;
try {
  for (const [name, step] of Object.entries(steps)) await runStep(name, step);
} finally {
  await boh.killAll();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}
process.exitCode = failureCount === 0 ? 0 : 1;

async function runStep(name: string, step: () => Promise<void>): Promise<void> {
  try {
    await step();
    process.stdout.write(`ok     ${name}\n`);
  } catch (error) {
    failureCount++;
    process.stdout.write(`FAILED ${name}: ${error instanceof Error ? error.message : error}\n`);
  }
}

/** The JSON output of `sandbox serve`. */
interface SandboxInfo {
  base_url: string;
  authorize_url: string;
  client_id: string;
  client_secret: string;
  token: string;
}

async function withSandbox(step: (sandbox: SandboxInfo) => Promise<void>): Promise<void> {
  const server = start(['sandbox', 'serve', '--memory', '--auto-approve', '--port', '0', '-o', 'json']);
  const [line] = await server.waitForOutput(/^\{.*\}$/m);
  await step(JSON.parse(line));
  await server.stop('SIGTERM');
}

async function importWithKill({ base_url: baseUrl, token }: SandboxInfo): Promise<void> {
  const env = { BOH_BASE_URL: baseUrl, BOH_TOKEN: token };
  const file = boh.file('suppliers.csv');
  const rows = Array.from({ length: rowCount }, (_, row) => `Supplier ${row},SMOKE-${row}\n`);
  writeFileSync(file, `name,code\n${rows.join('')}`);
  const args = ['suppliers', 'import', file, '--key', 'code', '--yes', '--rate', '10/s'];
  const importCommand = start(args, { env });
  await waitUntilPartlyDone(importCommand, env);
  await importCommand.stop('SIGKILL');
  const [killedRun] = await json(['runs', 'list', '-o', 'json'], { env });
  assert.ok(
    killedRun.done < rowCount,
    `${killedRun.done} of ${rowCount} rows were done when the import was killed`,
  );
  await run(['runs', 'resume', killedRun.id, '--yes'], { env });
  const codes = await json(['suppliers', 'list', '-o', 'json', '--query', '[].code'], { env });
  const importedCodes = codes.filter((code: string) => code.startsWith('SMOKE-'));
  assert.deepEqual([importedCodes.length, new Set(importedCodes).size], [rowCount, rowCount]);
}

async function waitUntilPartlyDone(
  importCommand: RunningCommand,
  env: Record<string, string>,
): Promise<void> {
  for (let poll = 0; poll < maxPolls; poll++) {
    const [lastRun] = await json(['runs', 'list', '-o', 'json'], { env });
    if (lastRun?.done >= rowsBeforeKill) return;
    if (importCommand.hasEnded()) break;
    await sleep(pollIntervalMs);
  }
  throw new Error(`the import completed too few rows: ${importCommand.output()}`);
}

async function signIn(sandbox: SandboxInfo): Promise<void> {
  const urls = ['--base-url', sandbox.base_url, '--authorize-url', sandbox.authorize_url];
  const login = start(
    ['auth', 'login', '--profile', 'smoke', '--client-id', sandbox.client_id, ...urls, '--port', '0'],
    { env: { BOH_CLIENT_SECRET: sandbox.client_secret } },
  );
  const [authorizationUrl] = await login.waitForOutput(/^http:\/\/\S+\/authorize\S+$/m);
  // The sandbox approves immediately and redirects to boh's local server.
  const response = await fetch(authorizationUrl);
  assert.equal(response.status, 200);
  assert.equal(await login.exit, 0, login.output());
  const status = await json(['auth', 'status', '--check', '--profile', 'smoke', '-o', 'json']);
  assert.equal(status.checked, true);
  await run(['auth', 'logout', '--profile', 'smoke']);
}
