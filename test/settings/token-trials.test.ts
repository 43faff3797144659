import { existsSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { waitForSlot } from '../../src/account/settings/refused-tokens.ts';
import { temporaryFolders } from './temporary-folder.ts';

const environmentAt = (folder: string) => ({ BOH_CONFIG_DIR: folder });
const newFolder = temporaryFolders();
const key = 'k'.repeat(64);
const shouldStop = () => false;

test('token trials: eight processes may try a token at once, and the next one waits for a slot', async () => {
  const folder = newFolder();
  const releases = await Promise.all(
    Array.from({ length: 8 }, () => waitForSlot(environmentAt(folder), key, { shouldStop })),
  );
  let hasSlot = false;
  const ninthSlot = waitForSlot(environmentAt(folder), key, { shouldStop }).then((release) => {
    hasSlot = true;
    return release;
  });
  // Another token doesn't wait.
  (await waitForSlot(environmentAt(folder), 'other'.repeat(12), { shouldStop }))();
  expect(hasSlot).toBe(false);
  releases[3]?.();
  const release = await ninthSlot;
  for (const releaseSlot of [...releases, release, release]) releaseSlot();
  expect(readdirSync(join(folder, 'cache'))).toEqual([]);
});

test('token trials: a process frees its slot only once', async () => {
  const folder = newFolder();
  const releaseFirst = await waitForSlot(environmentAt(folder), key, { shouldStop });
  releaseFirst();
  const releaseSecond = await waitForSlot(environmentAt(folder), key, { shouldStop });
  releaseFirst();
  expect(readdirSync(join(folder, 'cache'))).toHaveLength(1);
  releaseSecond();
  expect(readdirSync(join(folder, 'cache'))).toEqual([]);
});

test.each([
  ['that are old', 1],
  ['with a time in the future', 4_000_000_000],
])('token trials: slots of killed processes %s are ignored', async (_, seconds) => {
  const folder = newFolder();
  for (let index = 0; index < 8; index++) await waitForSlot(environmentAt(folder), key, { shouldStop });
  const slots = readdirSync(join(folder, 'cache'));
  expect(slots).toHaveLength(8);
  for (const name of slots) utimesSync(join(folder, 'cache', name), seconds, seconds);
  (await waitForSlot(environmentAt(folder), key, { shouldStop }))();
  expect(readdirSync(join(folder, 'cache')).length).toBeLessThan(8);
});

test('token trials: no process waits after the token was refused or the run was aborted', async () => {
  const folder = newFolder();
  for (let index = 0; index < 8; index++) await waitForSlot(environmentAt(folder), key, { shouldStop });
  await waitForSlot(environmentAt(folder), key, { shouldStop: () => true });
  const controller = new AbortController();
  const pendingSlot = waitForSlot(environmentAt(folder), key, { shouldStop, signal: controller.signal });
  controller.abort(new Error('aborted'));
  await expect(pendingSlot).rejects.toThrow('aborted');
});

test('token trials: without a configuration folder, no process waits and no folder is created', async () => {
  const folder = join(newFolder(), 'not', 'there');
  for (let index = 0; index < 20; index++) await waitForSlot(environmentAt(folder), key, { shouldStop });
  expect(existsSync(folder)).toBe(false);
});
