/** Several processes that undo or redo the same writes: one does, and the others find nothing left. */
import { expect, test } from 'vitest';
import { endOf, phones, type Scene, scene } from './locked-scene.ts';

/** Imports customers, and returns the id of the run and the number of one of its writes. */
async function imported(stage: Scene) {
  expect((await stage.boh('customers', 'import', stage.files.a, '--key', 'phone', '--yes')).exitCode).toBe(0);
  const [run] = JSON.parse((await stage.boh('runs', 'list', '--json')).stdout);
  const [write] = JSON.parse((await stage.boh('history', '--json')).stdout);
  return { run: run.id as string, write: String(write.number) };
}

const deletions = ({ service }: Scene) =>
  service.requests.filter((what) => what.startsWith('DELETE ')).length;

test.each([
  ['a run', ({ run }: { run: string }) => [run], phones.length],
  ['a single write', ({ write }: { write: string }) => [write], 1],
  ['--since', () => ['--since', '1h'], phones.length],
  ['--last', () => ['--last'], phones.length],
] as const)('undo of %s, two at once: the second waits and finds nothing left', async (_, which, count) => {
  const stage = await scene();
  const what = which(await imported(stage));
  const held = stage.service.delay(/^DELETE /);
  const first = stage.start('undo', ...what, '--yes');
  await held.waiting();
  const beside = await stage.boh('undo', ...what, '--yes', '--no-wait');
  expect(beside).toMatchObject({
    exitCode: 8,
    stderr: expect.stringContaining('Not waiting for boh undo '),
  });
  const second = stage.start('undo', ...what, '--yes');
  await second.says(/Waiting for boh undo .*, which is writing customers/);
  held.release();
  expect(await endOf(first)).toBe(0);
  expect((await second.ended).stderr).toContain('Nothing to undo: all values are already restored.');
  expect(deletions(stage)).toBe(count);
});

test('redo, two at once: the second waits and finds nothing left', async () => {
  const stage = await scene();
  const { run } = await imported(stage);
  expect((await stage.boh('undo', run, '--yes')).exitCode).toBe(0);
  const [undo] = JSON.parse((await stage.boh('runs', 'list', '--json')).stdout);
  const held = stage.service.delay(/^PUT .*\/restore/);
  const first = stage.start('redo', undo.id, '--yes');
  await held.waiting();
  const second = stage.start('redo', undo.id, '--yes');
  await second.says(/Waiting for boh redo/);
  held.release();
  expect(await endOf(first)).toBe(0);
  expect((await second.ended).stderr).toContain('Nothing to redo');
  expect(stage.service.requests.filter((what) => what.includes('/restore'))).toHaveLength(phones.length);
  expect(await stage.found()).toEqual([...phones].sort());
});

test('undo during a redo of the same run: waits, and undoes it again', async () => {
  const stage = await scene();
  const { run } = await imported(stage);
  expect((await stage.boh('undo', run, '--yes')).exitCode).toBe(0);
  const held = stage.service.delay(/^PUT .*\/restore/);
  const redo = stage.start('redo', '--yes');
  await held.waiting();
  const undo = stage.start('undo', run, '--yes');
  await undo.says(/Waiting for boh redo/);
  held.release();
  expect([await endOf(redo), await endOf(undo)]).toEqual([0, 0]);
  expect(await stage.found()).toEqual([]);
});

test('undo of a running run: waits for its end, and undoes all of it', async () => {
  const stage = await scene();
  const held = stage.service.delay(/^POST \/customers/);
  const line = ['customers', 'import', stage.files.a, '--key', 'phone', '--yes', '--concurrency', '1'];
  const first = stage.start(...line);
  await held.waiting();
  held.release();
  const later = stage.service.delay(/^POST \/customers/);
  await later.waiting();
  const undo = stage.start('undo', '--last', '--yes');
  await undo.says(/Waiting for boh customers import/);
  later.release();
  expect([await endOf(first), await endOf(undo)]).toEqual([0, 0]);
  expect(await stage.found()).toEqual([]);
  expect(deletions(stage)).toBe(phones.length);
});
