import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { putProfile } from '../../src/account/settings/config.ts';
import { openStore } from '../../src/account/settings/store.ts';
import { Failure } from '../../src/base/errors.ts';
import { repetitions, repetitionsTimeoutMs, reportTried } from '../harness/repetitions.ts';
import { mountSmallDisk, needsRoot } from '../harness/small-disk.ts';
import { temporaryFolders } from './temporary-folder.ts';

const newFolder = temporaryFolders();
const program = fileURLToPath(new URL('change-settings.ts', import.meta.url));

/** Starts a process that adds `count` profiles and prints a dot to standard output for each stored profile. */
function startWriter(
  folder: string,
  prefix: string,
  count: number,
): ChildProcessByStdio<null, Readable, Readable> {
  const environment = { ...process.env, BOH_CONFIG_DIR: folder };
  return spawn(process.execPath, [program, prefix, String(count)], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function textOf(stream: Readable): Promise<string> {
  const chunks = await stream.setEncoding('utf8').toArray();
  return chunks.join('');
}

async function profilesIn(folder: string): Promise<string[]> {
  const { config } = await openStore({ BOH_CONFIG_DIR: folder }).read();
  return Object.keys(config.profiles).sort();
}

test('20 processes that update the settings at once, with the lock of a dead process: no profile is lost', async () => {
  const folder = newFolder();
  // A process was killed while it had the lock.
  writeFileSync(join(folder, 'config.json-hold'), '');
  const names = Array.from({ length: 20 }, (_, index) => `process-${index}`);
  const errors = await Promise.all(names.map((name) => textOf(startWriter(folder, name, 1).stderr)));

  expect(errors.join('')).toBe('');
  expect(await profilesIn(folder)).toEqual(names.map((name) => `${name}-0`).sort());
  expect(readdirSync(folder)).toEqual(['config.json']);
});

test('process killed during an update of the settings: the file is complete, with the old or the new content', {
  timeout: repetitionsTimeoutMs,
}, async () => {
  const killDuringUpdate = async (index: number) => {
    const folder = newFolder();
    const child = startWriter(folder, 'profile', 10_000);
    let storedCount = 0;
    for await (const dots of child.stdout) {
      storedCount += dots.length;
      if (storedCount > (index % 6) * 3) child.kill('SIGKILL');
    }
    const storedProfiles = await profilesIn(folder);
    expect(storedProfiles.length).toBeGreaterThanOrEqual(storedCount);
    expect(storedProfiles.length).toBeLessThanOrEqual(storedCount + 1);
  };
  const indexes = Array.from({ length: repetitions(6) }, (_, index) => index);
  for (let first = 0; first < indexes.length; first += 6)
    await Promise.all(indexes.slice(first, first + 6).map(killDuringUpdate));
  reportTried({ tried: `${indexes.length} kills` });
});

test('update of the settings on a full disk: the old file is unchanged', async ({ skip }) => {
  const disk = mountSmallDisk(64);
  if (disk === undefined) return skip(needsRoot);
  const folder = join(disk.path, 'boh');
  const store = openStore({ BOH_CONFIG_DIR: folder });
  const updateWith = (letter: string) => () =>
    store.update((config) => putProfile(config, 'diner', () => ({ business_name: letter.repeat(20_000) })));
  await updateWith('a')();
  let failureCount = 0;
  for (let freeKilobytes = 0; freeKilobytes <= 40; freeKilobytes += 4) {
    const before = readFileSync(store.path);
    disk.fill(freeKilobytes);
    const error: unknown = await updateWith(freeKilobytes % 8 === 0 ? 'b' : 'c')().catch(
      (error: unknown) => error,
    );
    disk.empty();
    if (error instanceof Failure) {
      failureCount += 1;
      expect(error).toMatchObject({
        category: 'unavailable',
        message: expect.stringContaining('the disk is full'),
      });
      expect(readFileSync(store.path)).toEqual(before);
    }
    expect(readdirSync(folder)).toEqual(['config.json']);
    await store.read();
  }
  expect(failureCount).toBeGreaterThan(3);
  expect(failureCount).toBeLessThan(11);
});
