/** Imports the same rows in several processes: no row is sent twice. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startBoh } from '../harness/start-boh.ts';
import { exitCodeOf, newScene, phones } from './locked-scene.ts';
import { allNames, stage } from './staged-run.ts';

test('import of the same rows by two processes, or after an interrupted run: sends no row twice', async () => {
  const { file, env, boh, json, names } = await stage(
    ['route: "POST /customers", fault: latency, milliseconds: 40'],
    120,
  );
  // Low concurrency, so that the import takes a while.
  const line = ['customers', 'import', file, '--mode', 'create', '--yes', '--concurrency', '4'];
  // Loads the command into this process, so that it starts quickly.
  expect((await boh(...line, '--dry-run')).exitCode).toBe(0);
  const running = startBoh(line, env);
  await running.waitForStdout(/"line":20,/);
  const concurrentResult = await boh(...line, '--no-wait');
  expect(concurrentResult).toMatchObject({
    exitCode: 8,
    stderr: expect.stringContaining(`Not waiting for boh customers import (process ${running.pid}`),
  });
  running.kill('SIGKILL');
  await running.ended;
  const [run] = await json('runs', 'list');
  const repeatResult = await boh(...line);
  expect(repeatResult).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(`boh runs resume ${run.id}`),
  });
  expect((await boh('runs', 'resume', run.id)).exitCode).toBe(0);
  expect((await names()).sort()).toEqual(allNames(120));
});

test('import --no-ledger of the same rows by two processes: the second waits, and then does not send them again', async () => {
  const { file, env, boh, names, config } = await stage(
    ['route: "POST /customers", fault: latency, milliseconds: 30'],
    60,
  );
  for (const [index, flags] of [['--no-ledger'], ['--ledger', join(config, 'own.sqlite')]].entries()) {
    const line = ['customers', 'import', file, '--mode', 'create', '--yes', '--concurrency', '4', ...flags];
    const running = startBoh(line, env);
    await running.waitForStdout(/"line":5,/);
    const concurrentResult = await boh(
      'customers',
      'import',
      file,
      '--mode',
      'create',
      '--yes',
      '--no-ledger',
    );
    expect(concurrentResult).toMatchObject({ exitCode: 8, stdout: '' });
    expect(concurrentResult.stderr).toContain('Waiting for boh customers import');
    expect(concurrentResult.stderr).toContain('Another process just sent these rows');
    expect((await running.ended).exitCode).toBe(0);
    expect(await names()).toHaveLength(60 * (index + 1));
  }
  expect(readdirSync(join(config, 'locks'))).toEqual([]);
});

test('import of the same rows by two processes that wait for a third one: one of them sends the rows', async () => {
  const scene = await newScene();
  const delayed = scene.service.delay(/^POST \/customers/);
  const first = scene.start('apply', scene.files.yaml, '--yes');
  await delayed.waitForRequests();
  const line = ['customers', 'import', scene.files.b, '--mode', 'create', '--yes', '--no-ledger'];
  const second = scene.start(...line);
  await second.waitForStderr(/Waiting for boh apply/);
  const third = scene.start(...line);
  await third.waitForStderr(/Waiting for boh apply/);
  delayed.release();
  expect(await exitCodeOf(first)).toBe(0);
  expect([await exitCodeOf(second), await exitCodeOf(third)].sort()).toEqual([0, 8]);
  expect((await second.ended).stderr + (await third.ended).stderr).toContain(
    'Another process just sent these rows',
  );
  expect(await scene.storedPhones()).toHaveLength(2 * phones.length);
});

test('import --key after an interrupted run: plans the rows again, and the old run cannot be resumed', async () => {
  const { file, env, boh, json, names } = await stage(
    ['route: "POST /customers", fault: latency, milliseconds: 20'],
    120,
  );
  const line = ['customers', 'import', file, '--key', 'phone', '--yes', '--concurrency', '4'];
  const running = startBoh(line, env);
  await running.waitForStdout(/"line":20,/);
  running.kill('SIGINT');
  await running.ended;
  const [run] = await json('runs', 'list');
  expect((await boh(...line)).exitCode).toBe(0);
  const resumeResult = await boh('runs', 'resume', run.id);
  expect(resumeResult.exitCode).toBe(9);
  expect((await names()).sort()).toEqual(allNames(120));
  const [, oldRun] = await json('runs', 'list');
  expect(oldRun).toMatchObject({ id: run.id, state: 'finished', remaining: 0 });
});
