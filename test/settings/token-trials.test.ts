import { existsSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { takeTrial } from '../../src/settings/refused-tokens.ts';
import { temporaryFolders } from './temporary-folder.ts';

const environmentAt = (folder: string) => ({ BOH_CONFIG_DIR: folder });
const fresh = temporaryFolders();
const key = 'k'.repeat(64);
const isOver = () => false;

test('eight processes may try a token at once, and the next one waits for a slot', async () => {
  const folder = fresh();
  const taken = await Promise.all(
    Array.from({ length: 8 }, () => takeTrial(environmentAt(folder), key, { isOver })),
  );
  let isIn = false;
  const ninth = takeTrial(environmentAt(folder), key, { isOver }).then((over) => {
    isIn = true;
    return over;
  });
  // Another token doesn't wait.
  (await takeTrial(environmentAt(folder), 'other'.repeat(12), { isOver }))();
  expect(isIn).toBe(false);
  taken[3]?.();
  const over = await ninth;
  for (const end of [...taken, over, over]) end();
  expect(readdirSync(join(folder, 'cache'))).toEqual([]);
});

test('a free slot stays with the next process', async () => {
  const folder = fresh();
  const first = await takeTrial(environmentAt(folder), key, { isOver });
  first();
  const second = await takeTrial(environmentAt(folder), key, { isOver });
  first();
  expect(readdirSync(join(folder, 'cache'))).toHaveLength(1);
  second();
  expect(readdirSync(join(folder, 'cache'))).toEqual([]);
});

test.each([
  ['is ignored', 1],
  ['is ignored, also where the clock was set back since', 4_000_000_000],
])('leftovers of a killed process: %s', async (_, seconds) => {
  const folder = fresh();
  for (let at = 0; at < 8; at++) await takeTrial(environmentAt(folder), key, { isOver });
  const left = readdirSync(join(folder, 'cache'));
  expect(left).toHaveLength(8);
  for (const name of left) utimesSync(join(folder, 'cache', name), seconds, seconds);
  (await takeTrial(environmentAt(folder), key, { isOver }))();
  expect(readdirSync(join(folder, 'cache')).length).toBeLessThan(8);
});

test('no process waits after the token was refused, or the run ended', async () => {
  const folder = fresh();
  for (let at = 0; at < 8; at++) await takeTrial(environmentAt(folder), key, { isOver });
  await takeTrial(environmentAt(folder), key, { isOver: () => true });
  const ending = new AbortController();
  const waiting = takeTrial(environmentAt(folder), key, { isOver, signal: ending.signal });
  ending.abort(new Error('ended'));
  await expect(waiting).rejects.toThrow('ended');
});

test('without a folder to count in: no process waits, and no folder is created', async () => {
  const folder = join(fresh(), 'not', 'there');
  for (let at = 0; at < 20; at++) await takeTrial(environmentAt(folder), key, { isOver });
  expect(existsSync(folder)).toBe(false);
});
