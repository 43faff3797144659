/** `boh sandbox run -- COMMAND`: runs a command with a new sandbox, and forwards streams, exit code and signals. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { runBoh } from '../harness/run-boh.ts';
import {
  home,
  launcherFile,
  program,
  quotedProgram,
  type SpawnOptions,
  spawnBoh,
} from '../harness/spawn-boh.ts';
import { startBoh } from '../harness/start-boh.ts';

const node = process.execPath;
const run = (code: string, options: SpawnOptions = {}, ...flags: string[]) =>
  spawnBoh(['sandbox', 'run', ...flags, '--', node, '-e', code], options);

/** Prints the number of customers that the command finds. */
const countCustomers = `
  fetch(process.env.BOH_BASE_URL + '/customers', { headers: { authorization: 'Bearer ' + process.env.BOH_TOKEN } })
    .then((response) => response.json())
    .then(({ meta }) => console.log(meta.total));`;

describe('boh sandbox run', () => {
  it('sets a URL and a token for the command', async () => {
    const { stdout, exitCode } = await run(countCustomers);
    expect([stdout, exitCode]).toEqual(['200\n', 0]);
  });

  it('accepts what Laravel services accept, unless --strict-requests', async () => {
    const request = countCustomers.replace('/customers', '/customers?per_page=100');
    expect((await run(request)).stdout).toBe('200\n');
    expect((await run(request, {}, '--strict-requests')).exitCode).toBe(1);
    expect((await run(request, {}, '--variant', 'wire.requests=strict')).exitCode).toBe(1);
  });

  it('--clock and a seed: three runs end with the same bytes', async () => {
    const seeds = join(mkdtempSync(join(home, 'seeds-')), 'seeds.yaml');
    const names = Array.from(
      { length: 30 },
      (_, number) =>
        `{name: Supplier ${number}, items: [{item: A-${number}, order_unit: box, order_to_storage_factor: 1}]}`,
    );
    const items = Array.from(
      { length: 30 },
      (_, number) =>
        `{sku: A-${number}, name: Item ${number}, storage_unit: kg, ingredient_unit: g, storage_to_ingredient_factor: 1000, costing_method: fixed-cost, cost: 1}`,
    );
    writeFileSync(seeds, `inventory-items: [${items}]\nsuppliers: [${names}]\n`);
    const create = `
      const send = (path, body) => fetch(process.env.BOH_BASE_URL + path, {
        method: 'POST', body: JSON.stringify(body),
        headers: { authorization: 'Bearer ' + process.env.BOH_TOKEN, 'content-type': 'application/json' } });
      Promise.all(['x', 'y', 'z'].map((name) => send('/tags', { name, type: 1 })))
        .then(() => fetch(process.env.BOH_SANDBOX_URL + '/_boh/dump', {
          headers: { authorization: 'Bearer ' + process.env.BOH_SANDBOX_CONTROL_TOKEN } }))
        .then((response) => response.text()).then(console.log);`;
    const dumpOf = (...flags: string[]) =>
      run(create, {}, '--empty', '--clock', '2030-01-01', '--apply', seeds, ...flags);
    const [first, second, third] = [await dumpOf(), await dumpOf(), await dumpOf()];
    expect([first.exitCode, JSON.parse(first.stdout).suppliers.length]).toEqual([0, 30]);
    expect(second.stdout).toBe(first.stdout);
    expect(third.stdout).toBe(first.stdout);
    expect((await dumpOf('--random-seed', '2')).stdout).not.toBe(first.stdout);
  });

  it('--env and --port: the command gets the address of the server', async () => {
    const code = 'console.log(process.env.APP_URL, process.env.APP_TOKEN === process.env.BOH_TOKEN)';
    const { stdout } = await run(
      code,
      {},
      '--env',
      'APP_URL={base_url}/v5?x={other}',
      '--env',
      'APP_TOKEN={token}',
    );
    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v5\?x=\{other\} true\n$/);
    const wrong = await run(code, {}, '--env', 'APP_URL');
    expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining("isn't NAME=VALUE")]);
    expect((await run(code, {}, '--port', '70000')).exitCode).toBe(2);
  });

  it('--requests: writes the requests, also if the command fails', async () => {
    const file = join(mkdtempSync(join(home, 'requests-')), 'requests.ndjson');
    const { exitCode } = await run(`${countCustomers} process.exitCode = 3;`, {}, '--requests', file);
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect([exitCode, lines.map((line) => JSON.parse(line))]).toMatchObject([
      3,
      [{ operation: 'customers list', status: 200 }],
    ]);
    expect((await run('', {}, '--requests', '/nowhere/requests.ndjson')).exitCode).toBe(8);
  });

  it('--like: the command gets the preset, and --sandbox opens the same file without it', async () => {
    const lines = [
      `${quotedProgram} --sandbox suppliers list -o id | wc -l`,
      `${quotedProgram} orders list -o id | wc -l`,
    ];
    const argv = ['sandbox', 'run', '--like', 'foodics-v5', '--', 'sh', '-ec', lines.join('\n')];
    const { stdout, exitCode } = await spawnBoh(argv);
    expect([stdout.replaceAll(' ', ''), exitCode]).toEqual(['10\n222\n', 0]);
  });

  it('boh as the command: uses the sandbox, whatever other variables are set', async () => {
    const env = {
      BOH_SANDBOX: 'other',
      BOH_API_PREFIX: '/v9',
      BOH_BASE_URL: 'http://127.0.0.1:1',
      BOH_TOKEN: 'x',
    };
    const argv = ['sandbox', 'run', '--', ...program, 'suppliers', 'list', '-o', 'id'];
    const { stdout, exitCode } = await spawnBoh(argv, { env });
    expect(exitCode).toBe(0);
    expect(stdout.trim().split('\n').length).toBeGreaterThan(5);
  });

  it('passes no secret of another service to the command', async () => {
    const env = { BOH_TOKEN: 'canary', BOH_CLIENT_ID: 'canary', BOH_CLIENT_SECRET: 'canary' };
    const { stdout } = await run('console.log(JSON.stringify(process.env))', { env });
    expect(JSON.parse(stdout)).toMatchObject({ BOH_TOKEN: expect.stringMatching(/./) });
    expect(stdout).not.toContain('canary');
  });

  it('environment: contains only allowed variables, without mirrors, passwords and variables of other programs', async () => {
    const env = {
      BOH_MIRROR: 'postgres://me:canary-password@db.example/boh',
      PGPASSWORD: 'canary-password',
      NODE_AUTH_TOKEN: 'canary-token',
      DATABASE_URL: 'postgres://canary',
      NODE_ENV: 'test',
      BOH_OUTPUT: 'json',
    };
    const { stdout } = await run('console.log(JSON.stringify(process.env))', { env });
    expect(JSON.parse(stdout)).toMatchObject({
      NODE_ENV: 'test',
      BOH_OUTPUT: 'json',
      PATH: expect.any(String),
    });
    expect(stdout).not.toContain('canary');
  });

  it('--pass-env: also passes the named variables and those with a prefix', async () => {
    const env = { DATABASE_URL: 'one', OTHER_URL: 'two', THIRD: 'three', FOURTH: 'four' };
    const { stdout } = await run(
      'console.log(process.env.DATABASE_URL, process.env.OTHER_URL, process.env.THIRD, process.env.FOURTH)',
      { env },
      '--pass-env',
      'DATABASE_URL,OTHER*',
      '--pass-env',
      'FOURTH',
    );
    expect(stdout).toBe('one two undefined four\n');
  });

  it('exits with the exit code of the command', async () => {
    expect((await run('process.exit(7)')).exitCode).toBe(7);
  });

  it('a command ended by a signal: exits with 128 plus the number of the signal', async () => {
    expect((await run('process.kill(process.pid, "SIGKILL")')).exitCode).toBe(137);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'forwards %s to the command and waits for its end',
    async (signal) => {
      const code = `
      process.on('${signal}', () => { console.log('received'); process.exit(3); });
      setInterval(() => {}, 1000);
      console.log('ready');`;
      const { stdout, exitCode } = await run(code, { killOnOutput: 'ready', signal });
      expect([stdout, exitCode]).toEqual(['ready\nreceived\n', 3]);
    },
  );

  it('a second signal: ends boh at once if the command continues', async () => {
    const code = `
      process.on('SIGTERM', () => console.log('ignored'));
      setTimeout(() => {}, 10_000);
      console.log('ready');`;
    const running = startBoh(['sandbox', 'run', '--', node, '-e', code]);
    await running.waitForStdout(/ready/);
    running.kill('SIGTERM');
    await running.waitForStdout(/ignored/);
    // After the first signal, boh waits longer for the command than for its own work.
    const isWaiting = await Promise.race([running.exited.then(() => false), sleep(1_000).then(() => true)]);
    expect(isWaiting).toBe(true);
    running.kill('SIGTERM');
    expect(await running.exited).toBe(143);
  });

  it('passes standard input, and flags that boh also has', async () => {
    const code = 'process.stdin.pipe(process.stdout); console.error(process.argv.slice(1).join(" "))';
    const argv = ['sandbox', 'run', '--', node, '-e', code, '--', '--name', 'x', '-o', 'json'];
    const { stdout, stderr } = await spawnBoh(argv, { stdin: 'through' });
    expect([stdout, stderr]).toEqual(['through', '--name x -o json\n']);
  });

  it('starts empty or with a copy of another sandbox, which stays unchanged, and leaves no files', async () => {
    expect((await run(countCustomers, {}, '--empty')).stdout).toBe('0\n');
    const env = { BOH_SANDBOX: 'source' };
    await spawnBoh(['--sandbox', 'customers', 'create', '--name', 'One More'], { env });
    const folder = mkdtempSync(join(tmpdir(), 'boh-run-'));
    const inFolder = { env: { TMPDIR: folder, TEMP: folder } };
    expect((await run(countCustomers, inFolder, '--name', 'source')).stdout).toBe('201\n');
    expect(readdirSync(folder).filter((name) => name.startsWith('boh-'))).toEqual([]);
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  it.each([
    ['no-such-program', 127, 'Program no-such-program not found.'],
    [launcherFile.replace(/[^/]*$/, ''), 126, "can't be run"],
  ])(
    'a command that cannot be started, %s: exits with %i as shells do',
    async (program, expectedExitCode, message) => {
      const { exitCode, stderr } = await runBoh(['sandbox', 'run', '--', program]);
      expect(exitCode).toBe(expectedExitCode);
      expect(stderr).toContain(message);
    },
  );

  it.each([
    [['run'], 'sandbox run needs <command>'],
    [['run', '--name', 'nowhere', '--', 'true'], 'Sandbox "nowhere" not found.'],
  ])('%j: is refused', async (args, message) => {
    const { exitCode, stderr } = await runBoh(['sandbox', ...args]);
    expect(exitCode).toBe(2);
    expect(stderr.toLowerCase()).toContain(message.toLowerCase());
  });
});

describe('inside boh sandbox run', () => {
  const boh = quotedProgram;
  /** Runs command lines of a shell inside `sandbox run`. */
  const runInside = (lines: readonly string[], env: Record<string, string> = {}) =>
    spawnBoh(['sandbox', 'run', '--', 'sh', '-ec', lines.join('\n')], { env });

  it('--sandbox and requests over HTTP: use the same sandbox', async () => {
    const { stdout, stderr, exitCode } = await runInside([
      `${boh} tags create --name Here --type customer --quiet --columns name`,
      `${boh} --sandbox tags get @Here --columns name`,
      `${boh} --sandbox tags create --name There --type customer --quiet --columns name`,
      `${boh} tags get @There --columns name`,
    ]);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout.match(/Here|There/g)).toEqual(['Here', 'Here', 'There', 'There']);
  });

  it('boh sandbox commands: use this sandbox, and no sandbox of the user', async () => {
    const env = { BOH_SANDBOX: 'outside' };
    await spawnBoh(['--sandbox', 'tags', 'list', '-o', 'id'], { env });
    const plan = '{"rules":[{"fault":"status","status":503,"route":"GET /tags"}]}';
    const { stdout, exitCode } = await runInside(
      [
        `${boh} sandbox clock set '2030-01-01 00:00:00' >&2`,
        `${boh} tags create --name Late --type customer --quiet --columns created_at`,
        `${boh} sandbox order --customer '@Huda Al-Amin' --total 10 -o json`,
        `echo '${plan}' > "$BOH_CONFIG_DIR/plan.json"`,
        `${boh} sandbox faults set "$BOH_CONFIG_DIR/plan.json" >&2`,
        `curl -s -o "$BOH_CONFIG_DIR/response" -w '%{http_code}' -H "authorization: Bearer $BOH_TOKEN" "$BOH_BASE_URL/tags"`,
      ],
      env,
    );
    expect(exitCode).toBe(0);
    expect(stdout).toContain('2030-01-01 00:00');
    expect(stdout).toContain('loyalty_transaction_id');
    expect(stdout).toMatch(/503$/);
    const outsideResult = await spawnBoh(['sandbox', 'status', '-o', 'json'], { env });
    expect(JSON.parse(outsideResult.stdout)).toMatchObject({ fault_rules: 0, clock: { ahead_seconds: 0 } });
  });

  it('accounts and proxies of the user: are not available', async () => {
    const env = {
      BOH_PROFILE: 'canary',
      BOH_API_PREFIX: '/canary',
      BOH_OUTPUT: 'id',
      OTHER: 'stays outside',
      HTTP_PROXY: 'http://127.0.0.1:9',
      http_proxy: 'http://127.0.0.1:9',
      NO_PROXY: 'intranet.example.com',
    };
    const result = await runInside([`${boh} tags list --limit 1`, 'env'], env);
    expect(result.exitCode).toBe(0);
    expect(result.stdout).toMatch(/^tag-1\n/);
    expect(result.stdout).not.toContain('canary');
    expect(result.stdout).not.toContain('OTHER=');
    expect(result.stdout).toContain('NO_PROXY=intranet.example.com,127.0.0.1,localhost\n');
    const profile = await runInside([`${boh} --profile mine tags list`], env);
    expect(profile.exitCode).toBe(2);
  });

  it('a command that ends during its requests: causes no output on stderr', async () => {
    const code = `
      const headers = { authorization: 'Bearer ' + process.env.BOH_TOKEN, 'content-type': 'application/json' };
      const url = process.env.BOH_BASE_URL + '/customers';
      const body = JSON.stringify({ name: 'x'.repeat(900_000) });
      for (let i = 0; i < 20; i++) {
        fetch(url + '?include=addresses,tags', { headers }).catch(() => {});
        fetch(url, { method: 'POST', headers, body }).catch(() => {});
      }
      fetch(url, { headers }).then(() => process.exit(0));`;
    const { stderr, exitCode } = await run(code);
    expect([exitCode, stderr]).toEqual([0, '']);
  });
});
