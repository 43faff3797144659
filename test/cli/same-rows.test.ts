/** The same rows, sent by several processes: never twice. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startBoh } from '../harness/start-boh.ts';
import { all, stage } from './staged-run.ts';

test('the same rows are never sent twice: not by two processes at once, nor by a run beside the one that was left', async () => {
  const { file, env, boh, json, names } = await stage(
    ['route: "POST /customers", fault: latency, milliseconds: 40'],
    120,
  );
  // A few at a time, so that it goes on for a while.
  const line = ['customers', 'import', file, '--mode', 'create', '--yes', '--concurrency', '4'];
  // The next line in this process is a quick one then.
  expect(await names()).toEqual([]);
  const running = startBoh(line, env);
  await running.prints(/"line":20,/);
  const beside = await boh(...line, '--no-wait');
  expect(beside).toMatchObject({
    exitCode: 8,
    stderr: expect.stringContaining(`Not waiting for boh customers import (process ${running.pid}`),
  });
  running.kill('SIGKILL');
  await running.ended;
  const [run] = await json('runs', 'list');
  const again = await boh(...line);
  expect(again).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(`boh runs resume ${run.id}`) });
  expect((await boh('runs', 'resume', run.id)).exitCode).toBe(0);
  expect((await names()).sort()).toEqual(all(120));
});

test('rows of which no ledger is kept here are sent by one process at a time, too', async () => {
  const { file, env, boh, names, config } = await stage(
    ['route: "POST /customers", fault: latency, milliseconds: 30'],
    60,
  );
  for (const [at, flags] of [['--no-ledger'], ['--ledger', join(config, 'own.sqlite')]].entries()) {
    const line = ['customers', 'import', file, '--mode', 'create', '--yes', '--concurrency', '4', ...flags];
    const running = startBoh(line, env);
    await running.prints(/"line":5,/);
    const beside = await boh('customers', 'import', file, '--mode', 'create', '--yes', '--no-ledger');
    expect(beside).toMatchObject({ exitCode: 8, stdout: '' });
    expect(beside.stderr).toContain('Waiting for boh customers import');
    expect(beside.stderr).toContain('Another process has sent these rows a moment ago');
    expect((await running.ended).exitCode).toBe(0);
    expect(await names()).toHaveLength(60 * (at + 1));
  }
  expect(readdirSync(join(config, 'locks'))).toEqual(['gate-hold']);
});

test('what was left is planned anew where rows have a key, and isn’t gone on with after that', async () => {
  const { file, env, boh, json, names } = await stage(
    ['route: "POST /customers", fault: latency, milliseconds: 20'],
    120,
  );
  const line = ['customers', 'import', file, '--key', 'phone', '--yes', '--concurrency', '4'];
  const running = startBoh(line, env);
  await running.prints(/"line":20,/);
  running.kill('SIGINT');
  await running.ended;
  const [run] = await json('runs', 'list');
  expect((await boh(...line)).exitCode).toBe(0);
  const resumed = await boh('runs', 'resume', run.id);
  expect(resumed.exitCode).toBe(9);
  expect((await names()).sort()).toEqual(all(120));
  const [, left] = await json('runs', 'list');
  expect(left).toMatchObject({ id: run.id, state: 'finished', to_go: 0 });
});
