import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runLine } from '../harness/run-line.ts';
import { serveSandbox } from '../harness/served-sandbox.ts';
import { mountSmallDisk, needsRoot } from '../harness/small-disk.ts';
import { spawnBoh } from '../harness/spawn-boh.ts';
import { startBoh } from '../harness/start-boh.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { allNames, stage } from './staged-run.ts';

test('an interrupted run: prints the command that resumes it, which continues where it stopped', async () => {
  const { file, env, boh, json, names } = await stage(
    ['route: "POST /customers", fault: latency, milliseconds: 20'],
    300,
  );
  const running = startBoh(['customers', 'import', file, '--mode', 'create', '--yes'], env);
  await running.waitForStdout(/"line":20,/);
  running.kill('SIGINT');
  const result = await running.ended;
  expect(result.exitCode).toBe(130);
  const [run] = await json('runs', 'list');
  expect(run).toMatchObject({ state: 'unfinished', source: 'rows.csv', rows: 300 });
  expect(result.stderr).toContain(`boh runs resume ${run.id}`);
  expect((await names()).length).toBeLessThan(300);
  const refusedResult = await boh('runs', 'resume', run.id, '--failed', 'failed.xlsx');
  expect(refusedResult).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('in the format of the input, csv'),
  });
  expect((await boh('runs', 'resume', run.id)).exitCode).toBe(0);
  expect((await names()).sort()).toEqual(allNames(300));
});

test('a run after a 401: sends at most the requests in progress, and resumes with a valid token', async () => {
  const { file, boh, json, names, config } = await stage(
    [
      'route: "POST /customers", fault: status, status: 401, nth: [40]',
      'route: "POST /customers", fault: latency, milliseconds: 5',
    ],
    200,
  );
  const result = await boh(
    'customers',
    'import',
    file,
    '--mode',
    'create',
    '--yes',
    '--concurrency',
    '4',
    '-v',
  );
  expect(result.exitCode).toBe(3);
  const sentCount = result.stderr.match(/^POST /gm)?.length ?? 0;
  expect(sentCount).toBeGreaterThanOrEqual(40);
  expect(sentCount).toBeLessThanOrEqual(43);
  const [run] = await json('runs', 'list');
  expect(result.stderr).toMatch(new RegExp(`sign in again: .*\\n +To resume it: boh runs resume ${run.id}`));
  // A refused token is not sent to the service again for a minute.
  rmSync(join(config, 'cache', 'refused.json'));
  expect((await boh('runs', 'resume', run.id)).exitCode).toBe(0);
  expect((await names()).sort()).toEqual(allNames(200));
});

test('runs resume: fails while another process executes the run, and at another account', async () => {
  const { file, env, boh, json, names } = await stage(
    ['route: "POST /customers", fault: latency, milliseconds: 30'],
    100,
  );
  const running = startBoh(['customers', 'import', file, '--mode', 'create', '--yes'], env);
  await running.waitForStdout(/"line":5,/);
  const [run] = await json('runs', 'list');
  const refusedResult = await boh('runs', 'resume', run.id);
  expect(refusedResult.exitCode).toBe(8);
  expect(refusedResult.stderr).toContain('Another process');
  running.kill('SIGKILL');
  await running.ended;
  const { baseUrl, token } = await serveSandbox();
  const otherAccountResult = await runLine(['runs', 'resume', run.id], {
    env: { ...env, BOH_BASE_URL: baseUrl, BOH_TOKEN: token },
  });
  expect(otherAccountResult.exitCode).toBe(2);
  expect(otherAccountResult.stderr).toContain(env.BOH_BASE_URL);
  expect((await boh('runs', 'resume', run.id)).exitCode).toBe(0);
  expect((await names()).sort()).toEqual(allNames(100));
});

test('import --max-errors: stops the run when more rows have failed', async () => {
  const { boh, json, config } = await stage([], 1);
  const file = join(config, 'bad.csv');
  writeFileSync(
    file,
    `name,phone,tags.id\n${Array.from({ length: 50 }, (_, index) => `Bad ${index},98${index},no-such-tag`).join('\n')}\n`,
  );
  const failedFile = join(config, 'failed.csv');
  const result = await boh(
    'customers',
    'import',
    file,
    '--mode',
    'create',
    '--yes',
    '--max-errors',
    '3',
    '--concurrency',
    '1',
    '--failed',
    failedFile,
  );
  expect(result.exitCode).toBe(9);
  const rows = result.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(rows.map(({ outcome }) => outcome)).toEqual(['failed', 'failed', 'failed', 'failed']);
  expect(rows[0].error).toMatchObject({ category: 'refused', status: 422 });
  const [run] = await json('runs', 'list');
  expect(run).toMatchObject({ failed: 4, remaining: 46 });
});

test('import when responses are lost: looks up the writes, and loses or duplicates none', async () => {
  const { file, boh, names } = await stage(
    [
      'route: "POST /customers", fault: reset, after_commit: true, nth: [3, 9]',
      'route: "POST /customers", fault: status, status: 502, after_commit: true, nth: [5]',
      'route: "POST /customers", fault: reset, nth: [7]',
      'route: "POST /customers", fault: half_body, nth: [11]',
      'route: "POST /customers", fault: html, after_commit: true, nth: [13]',
    ],
    40,
  );
  const result = await boh('customers', 'import', file, '--key', 'phone', '--yes');
  expect(result.exitCode).toBe(0);
  const rows = result.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(rows).toHaveLength(40);
  expect(rows.every(({ outcome, id }) => outcome === 'done' && id !== null)).toBe(true);
  expect((await names()).sort()).toEqual(allNames(40));
});

test('import --ledger FILE: resumes the same rows, begins again when they are done; --no-ledger leaves no file', async () => {
  const { file, boh, json, names, config } = await stage(
    ['route: "POST /customers", fault: status, status: 403, nth: [10]'],
    30,
  );
  const ledger = join(config, 'own.sqlite');
  const line = ['customers', 'import', file, '--mode', 'create', '--yes', '--concurrency', '1'];
  const stoppedResult = await boh(...line, '--ledger', ledger);
  expect(stoppedResult.exitCode).toBe(4);
  expect(stoppedResult.stderr).toContain(`boh runs resume ${ledger}`);
  expect(await json('runs', 'list')).toMatchObject([{ state: 'unfinished', done: 9 }]);
  const rows = readFileSync(file, 'utf8');
  writeFileSync(file, `${rows}One more,991234\n`);
  for (const other of [
    line,
    ['customers', 'import', file, '--key', 'phone', '--yes'],
    ['apply', join(config, 'a.yaml')],
  ]) {
    writeFileSync(join(config, 'a.yaml'), 'tags:\n  - { name: Night, type: customer }\n');
    const otherResult = await boh(...other, '--yes', '--ledger', ledger);
    expect(otherResult.exitCode).toBe(2);
    expect(otherResult.stderr).toContain(
      'is the ledger of an unfinished run: customers import rows.csv, run ',
    );
    expect(otherResult.stderr).toContain(
      other[0] === 'apply' ? 'This is apply' : 'This is customers import rows.csv with other rows.',
    );
  }
  writeFileSync(file, rows);
  const resumedResult = await boh(...line, '--ledger', ledger);
  expect([resumedResult.exitCode, resumedResult.stderr]).toEqual([
    0,
    expect.stringContaining('Resuming run '),
  ]);
  expect((await names()).sort()).toEqual(allNames(30));
  const keyed = ['customers', 'import', file, '--key', 'phone', '--yes', '--ledger', ledger];
  expect(await boh(...keyed)).toMatchObject({ exitCode: 0 });
  expect((await names()).sort()).toEqual(allNames(30));
  expect((await boh('customers', 'import', file, '--key', 'phone', '--no-ledger')).exitCode).toBe(0);
  expect(await json('runs', 'list')).toMatchObject([{ state: 'finished', done: 30 }]);
});

test('import on a full disk: sends no row that the ledger does not record', async ({ skip }) => {
  const disk = mountSmallDisk(1024);
  if (!disk) return skip(needsRoot);
  const { file, env, boh, names } = await stage(
    ['route: "POST /customers", fault: latency, milliseconds: 15'],
    200,
  );
  const ledger = join(disk.path, 'run.sqlite');
  const running = startBoh(
    ['customers', 'import', file, '--mode', 'create', '--yes', '--ledger', ledger],
    env,
  );
  await running.waitForStdout(/"line":10,/);
  disk.fill();
  const result = await running.ended;
  expect(result.exitCode).toBe(8);
  expect(result.stderr).toContain('the disk is full');
  expect((await names()).length).toBeLessThan(200);
  disk.empty();
  expect(await boh('runs', 'resume', ledger)).toMatchObject({ exitCode: 0 });
  expect((await names()).sort()).toEqual(allNames(200));
});

test.each([
  ['rows from a pipe', ['-', '--dry-run']],
  ['a dry run', ['rows.csv', '--dry-run']],
])('an interrupted import of %s: deletes its temporary files', async (_, line) => {
  const { file, env, config } = await stage(
    ['route: "GET /customers", fault: latency, milliseconds: 3000'],
    20,
  );
  const temporaryFolder = join(config, 'tmp');
  mkdirSync(temporaryFolder);
  const words = line.map((word) => (word === 'rows.csv' ? file : word));
  const running = startBoh(['customers', 'import', ...words, '--key', 'phone'], {
    ...env,
    TMPDIR: temporaryFolder,
  });
  running.stdin.end(readFileSync(file));
  await waitUntil(() =>
    expect(readdirSync(temporaryFolder)).toContainEqual(expect.stringMatching(/^boh-plan-/)),
  );
  running.kill('SIGINT');
  expect((await running.ended).exitCode).toBe(130);
  expect(readdirSync(temporaryFolder)).toEqual([]);
});

test('files of rows that a killed process left: are deleted by the next import', async () => {
  const { file, env, config } = await stage(
    ['route: "GET /customers", fault: latency, milliseconds: 3000'],
    20,
  );
  const temporaryFolder = join(config, 'tmp');
  mkdirSync(temporaryFolder);
  const line = ['customers', 'import', file, '--key', 'phone', '--dry-run'];
  const childEnv = { ...env, TMPDIR: temporaryFolder };
  const running = startBoh(line, childEnv);
  await waitUntil(() => expect(readdirSync(temporaryFolder)).toHaveLength(1));
  running.kill('SIGKILL');
  await running.ended;
  expect(readdirSync(temporaryFolder)).toHaveLength(1);
  expect((await spawnBoh(line, { env: childEnv })).exitCode).toBe(0);
  expect(readdirSync(temporaryFolder)).toEqual([]);
});
