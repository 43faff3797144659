/** Runs two processes that use one backup, plan, mirror, history or sandbox at the same time. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runLine } from '../harness/run-line.ts';
import { startBoh } from '../harness/start-boh.ts';
import { exitCodeOf, newScene, phones } from './locked-scene.ts';

test('backup restore: a second process waits and creates no duplicates', async () => {
  const scene = await newScene();
  const { boh, folder, files, service } = scene;
  expect((await boh('customers', 'import', files.a, '--key', 'phone', '--yes')).exitCode).toBe(0);
  const backup = join(folder, 'backup');
  expect((await boh('backup', backup)).exitCode).toBe(0);
  const target = await newScene();
  const line = ['backup', 'restore', backup, '--resource', 'customers', '--skip-missing', '--yes'];
  const delayed = target.service.delay(/^POST \/customers/);
  const first = target.start(...line);
  await delayed.waitForRequests();
  const second = target.start(...line);
  await second.waitForStderr(/Waiting for boh backup restore/);
  expect((await target.boh(...line, '--no-wait')).exitCode).toBe(8);
  delayed.release();
  expect([await exitCodeOf(first), await exitCodeOf(second)]).toEqual([0, 0]);
  expect(await target.storedPhones()).toEqual([...phones].sort());
  expect(service.requests.length).toBeGreaterThan(0);
});

test('apply --plan: a second process with the same plan is refused and sends nothing', async () => {
  const scene = await newScene();
  const plan = join(scene.folder, 'a.plan');
  expect((await scene.boh('plan', scene.files.yaml, '--out', plan)).exitCode).toBe(0);
  const delayed = scene.service.delay(/^POST \/customers/);
  const first = scene.start('apply', '--plan', plan, '--yes');
  await delayed.waitForRequests();
  expect(await scene.boh('apply', '--plan', plan, '--yes')).toMatchObject({
    exitCode: 8,
    stderr: expect.stringContaining('Another process is using this run'),
  });
  delayed.release();
  expect(await exitCodeOf(first)).toBe(0);
  expect(await scene.storedPhones()).toEqual([...phones].sort());
});

test('backup and mirror sync: a second process with the same location is refused', async () => {
  const scene = await newScene();
  const folder = join(scene.folder, 'copies');
  mkdirSync(folder);
  for (const [line, message] of [
    [['backup', join(folder, 'backup')], 'Another process is writing a backup'],
    [['mirror', 'sync', '--to', `sqlite:${join(folder, 'mirror.sqlite')}`], 'Another sync of the mirror'],
  ] as const) {
    const delayed = scene.service.delay(/^GET \/customers/);
    const first = scene.start(...line);
    await delayed.waitForRequests();
    const second = await scene.boh(...line);
    expect(second).toMatchObject({ exitCode: 8, stderr: expect.stringContaining(message) });
    delayed.release();
    expect(await exitCodeOf(first)).toBe(0);
  }
});

test('history prune during a run: leaves a valid history', async () => {
  const scene = await newScene();
  const delayed = scene.service.delay(/^POST \/customers/);
  const first = scene.start('customers', 'import', scene.files.a, '--key', 'phone', '--yes');
  await delayed.waitForRequests(4);
  const pruneResult = await scene.boh('history', 'prune', '--max-size', '1KB', '--yes');
  expect(pruneResult.exitCode, pruneResult.stderr).toBe(0);
  delayed.release();
  expect(await exitCodeOf(first)).toBe(0);
  const verifyResult = await scene.boh('history', 'verify');
  expect(verifyResult.exitCode, verifyResult.stderr).toBe(0);
});

test('sandbox reset: waits for a run in the sandbox', async () => {
  const scene = await newScene();
  const env = { BOH_CONFIG_DIR: join(scene.folder, 'sandboxed') };
  await runLine(['customers', 'list', '--sandbox', '--limit', '1'], { env });
  const first = startBoh(
    ['customers', 'import', '-', '--sandbox', '--key', 'phone', '--yes', '--rate', '2/s'],
    env,
  );
  first.stdin.end(`name,phone\n${phones.map((phone) => `A,${phone}`).join('\n')}\n`);
  await first.waitForStdout(/"line":2,/);
  const reset = await runLine(['sandbox', 'reset', '--yes', '--no-wait'], { env });
  expect(reset).toMatchObject({
    exitCode: 8,
    stderr: expect.stringContaining('Not waiting for boh customers import'),
  });
  first.kill('SIGKILL');
  await first.ended;
  expect((await runLine(['sandbox', 'reset', '--yes'], { env })).exitCode).toBe(0);
});
