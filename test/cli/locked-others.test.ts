/** Two processes that use one backup, copy, plan, mirror or history at the same time. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runLine } from '../harness/run-line.ts';
import { startBoh } from '../harness/start-boh.ts';
import { endOf, phones, scene } from './locked-scene.ts';

test('restore-from: a second one at the same time waits and creates nothing twice', async () => {
  const stage = await scene();
  const { boh, folder, files, service } = stage;
  expect((await boh('customers', 'import', files.a, '--key', 'phone', '--yes')).exitCode).toBe(0);
  const backup = join(folder, 'backup');
  expect((await boh('backup', backup)).exitCode).toBe(0);
  const other = await scene();
  const line = ['restore-from', backup, '--resource', 'customers', '--skip-missing', '--yes'];
  const held = other.service.delay(/^POST \/customers/);
  const first = other.start(...line);
  await held.waiting();
  const second = other.start(...line);
  await second.says(/Waiting for boh restore-from/);
  expect((await other.boh(...line, '--no-wait')).exitCode).toBe(8);
  held.release();
  expect([await endOf(first), await endOf(second)]).toEqual([0, 0]);
  expect(await other.found()).toEqual([...phones].sort());
  expect(service.requests.length).toBeGreaterThan(0);
});

test('apply --plan: a second one with the same plan waits and sends nothing', async () => {
  const stage = await scene();
  const plan = join(stage.folder, 'a.plan');
  expect((await stage.boh('plan', stage.files.yaml, '--out', plan)).exitCode).toBe(0);
  const held = stage.service.delay(/^POST \/customers/);
  const first = stage.start('apply', '--plan', plan, '--yes');
  await held.waiting();
  const second = stage.start('apply', '--plan', plan, '--yes');
  await second.says(/Waiting for boh apply/);
  held.release();
  expect(await endOf(first)).toBe(0);
  expect((await second.ended).stderr).toContain('Records have changed since the plan was saved');
  expect(await stage.found()).toEqual([...phones].sort());
});

test('backup and mirror sync: a second one to the same location is refused', async () => {
  const stage = await scene();
  const to = join(stage.folder, 'copies');
  mkdirSync(to);
  for (const [line, said] of [
    [['backup', join(to, 'backup')], 'Another process is writing a backup'],
    [['mirror', 'sync', '--to', `sqlite:${join(to, 'mirror.sqlite')}`], 'Another sync of the mirror'],
  ] as const) {
    const held = stage.service.delay(/^GET \/customers/);
    const first = stage.start(...line);
    await held.waiting();
    const second = await stage.boh(...line);
    expect(second).toMatchObject({ exitCode: 8, stderr: expect.stringContaining(said) });
    held.release();
    expect(await endOf(first)).toBe(0);
  }
});

test('history prune during a run: leaves a valid history, and the run its outcomes', async () => {
  const stage = await scene();
  const held = stage.service.delay(/^POST \/customers/);
  const first = stage.start('customers', 'import', stage.files.a, '--key', 'phone', '--yes');
  await held.waiting(4);
  const pruned = await stage.boh('history', 'prune', '--max-size', '1KB', '--yes');
  expect(pruned.exitCode, pruned.stderr).toBe(0);
  held.release();
  expect(await endOf(first)).toBe(0);
  const verified = await stage.boh('history', 'verify');
  expect(verified.exitCode, verified.stderr).toBe(0);
  const undone = await stage.boh('undo', '--last', '--yes');
  expect(undone.exitCode, undone.stderr).toBe(0);
});

test('sandbox reset: waits for a run in the sandbox', async () => {
  const stage = await scene();
  const env = { BOH_CONFIG_DIR: join(stage.folder, 'sandboxed') };
  await runLine(['customers', 'list', '--sandbox', '--limit', '1'], { env });
  const first = startBoh(
    ['customers', 'import', '-', '--sandbox', '--key', 'phone', '--yes', '--rate', '2/s'],
    env,
  );
  first.stdin.end(`name,phone\n${phones.map((phone) => `A,${phone}`).join('\n')}\n`);
  await first.prints(/"line":2,/);
  const reset = await runLine(['sandbox', 'reset', '--yes', '--no-wait'], { env });
  expect(reset).toMatchObject({
    exitCode: 8,
    stderr: expect.stringContaining('Not waiting for boh customers import'),
  });
  first.kill('SIGKILL');
  await first.ended;
  expect((await runLine(['sandbox', 'reset', '--yes'], { env })).exitCode).toBe(0);
});
