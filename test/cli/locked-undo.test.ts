/** Runs several processes that undo or redo the same writes: one does it, and the others have nothing to do. */
import { expect, test } from 'vitest';
import { exitCodeOf, newScene, phones, type Scene } from './locked-scene.ts';

/** Imports customers, and returns the ID of the run and the number of one of its writes. */
async function importCustomers(scene: Scene) {
  expect((await scene.boh('customers', 'import', scene.files.a, '--key', 'phone', '--yes')).exitCode).toBe(0);
  const [run] = JSON.parse((await scene.boh('runs', 'list', '--json')).stdout);
  const [write] = JSON.parse((await scene.boh('history', '--json')).stdout);
  return { run: run.id as string, write: String(write.number) };
}

const countDeletions = ({ service }: Scene) =>
  service.requests.filter((request) => request.startsWith('DELETE ')).length;

test.each([
  ['a run', ({ run }: { run: string }) => [run], phones.length],
  ['a single write', ({ write }: { write: string }) => [write], 1],
  ['--since', () => ['--since', '1h'], phones.length],
  ['--last', () => ['--last'], phones.length],
] as const)(
  'undo of %s, two at once: the second waits and has nothing to undo',
  async (_, selectorOf, count) => {
    const scene = await newScene();
    const selector = selectorOf(await importCustomers(scene));
    const delayed = scene.service.delay(/^DELETE /);
    const first = scene.start('undo', ...selector, '--yes');
    await delayed.waitForRequests();
    const concurrentResult = await scene.boh('undo', ...selector, '--yes', '--no-wait');
    expect(concurrentResult).toMatchObject({
      exitCode: 8,
      stderr: expect.stringContaining('Not waiting for boh undo '),
    });
    const second = scene.start('undo', ...selector, '--yes');
    await second.waitForStderr(/Waiting for boh undo .*, which is writing customers/);
    delayed.release();
    expect(await exitCodeOf(first)).toBe(0);
    expect((await second.ended).stderr).toContain('Nothing to undo: all values are already restored.');
    expect(countDeletions(scene)).toBe(count);
  },
);

test('redo, two at once: the second waits and has nothing to redo', async () => {
  const scene = await newScene();
  const { run } = await importCustomers(scene);
  expect((await scene.boh('undo', run, '--yes')).exitCode).toBe(0);
  const [undo] = JSON.parse((await scene.boh('runs', 'list', '--json')).stdout);
  const delayed = scene.service.delay(/^PUT .*\/restore/);
  const first = scene.start('redo', undo.id, '--yes');
  await delayed.waitForRequests();
  const second = scene.start('redo', undo.id, '--yes');
  await second.waitForStderr(/Waiting for boh redo/);
  delayed.release();
  expect(await exitCodeOf(first)).toBe(0);
  expect((await second.ended).stderr).toContain('Nothing to redo');
  expect(scene.service.requests.filter((request) => request.includes('/restore'))).toHaveLength(
    phones.length,
  );
  expect(await scene.storedPhones()).toEqual([...phones].sort());
});

test('undo during a redo of the same run: waits, and undoes it again', async () => {
  const scene = await newScene();
  const { run } = await importCustomers(scene);
  expect((await scene.boh('undo', run, '--yes')).exitCode).toBe(0);
  const delayed = scene.service.delay(/^PUT .*\/restore/);
  const redo = scene.start('redo', '--yes');
  await delayed.waitForRequests();
  const undo = scene.start('undo', run, '--yes');
  await undo.waitForStderr(/Waiting for boh redo/);
  delayed.release();
  expect([await exitCodeOf(redo), await exitCodeOf(undo)]).toEqual([0, 0]);
  expect(await scene.storedPhones()).toEqual([]);
});

test('undo of a running run: waits for its end, and undoes all of it', async () => {
  const scene = await newScene();
  const delayed = scene.service.delay(/^POST \/customers/);
  const line = ['customers', 'import', scene.files.a, '--key', 'phone', '--yes', '--concurrency', '1'];
  const first = scene.start(...line);
  await delayed.waitForRequests();
  delayed.release();
  const laterDelay = scene.service.delay(/^POST \/customers/);
  await laterDelay.waitForRequests();
  const undo = scene.start('undo', '--last', '--yes');
  await undo.waitForStderr(/Waiting for boh customers import/);
  laterDelay.release();
  expect([await exitCodeOf(first), await exitCodeOf(undo)]).toEqual([0, 0]);
  expect(await scene.storedPhones()).toEqual([]);
  expect(countDeletions(scene)).toBe(phones.length);
});
