/** Tests the check that finds files which tests left in home folders, in system folders and in the checkout. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { addedSince, entriesOutside, pathsOutside } from '../harness/leftovers.ts';

function createFolders() {
  const folder = mkdtempSync(join(tmpdir(), 'boh-outside-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  const [home, etc] = [join(folder, 'home'), join(folder, 'etc')];
  for (const path of [home, etc]) mkdirSync(path);
  return {
    folder,
    home,
    etc,
    watchedPaths: { homes: [home, join(folder, 'nonexistent')], system: [etc], checkout: folder },
  };
}

test('leftovers: a new home folder is reported, without its content', () => {
  const { folder, watchedPaths } = createFolders();
  const before = entriesOutside(watchedPaths);
  mkdirSync(join(folder, 'nonexistent/boh/history'), { recursive: true });
  expect(addedSince(before, entriesOutside(watchedPaths))).toEqual([join(folder, 'nonexistent')]);
});

test('leftovers: settings in a home and files in system folders are reported', () => {
  const { home, etc, watchedPaths } = createFolders();
  mkdirSync(join(home, '.config/other'), { recursive: true });
  const before = entriesOutside(watchedPaths);
  mkdirSync(join(home, '.config/boh'));
  writeFileSync(join(etc, 'boh.json'), '{}');
  expect(addedSince(before, entriesOutside(watchedPaths)).sort()).toEqual([
    join(etc, 'boh.json'),
    join(home, '.config/boh'),
  ]);
});

test('leftovers: existing files and files of other programs are not reported', () => {
  const { folder, home, etc, watchedPaths } = createFolders();
  mkdirSync(join(home, '.config/boh'), { recursive: true });
  const before = entriesOutside(watchedPaths);
  writeFileSync(join(home, '.config/boh/config.json'), '{}');
  writeFileSync(join(home, 'notes.txt'), '');
  writeFileSync(join(etc, 'other.conf'), '');
  writeFileSync(join(folder, 'boh-of-another-process'), '');
  expect(addedSince(before, entriesOutside(watchedPaths))).toEqual([]);
});

test.each([
  ['in CI', 'true', 1],
  ["elsewhere, where the user's browser may run too", '', 0],
])('leftovers: the profile of a browser %s', (_, ci, count) => {
  vi.stubEnv('CI', ci);
  const { home, watchedPaths } = createFolders();
  const before = entriesOutside(watchedPaths);
  mkdirSync(join(home, '.pki'));
  expect(addedSince(before, entriesOutside(watchedPaths))).toHaveLength(count);
});

test('leftovers: the homes of all accounts are checked, whichever user runs the tests', () => {
  const { homes, checkout } = pathsOutside('.', { XDG_CONFIG_HOME: '/config', XDG_CACHE_HOME: 'relative' });
  expect(homes).toEqual(expect.arrayContaining(['/nonexistent', '/config']));
  expect(homes).not.toContain('relative');
  expect(checkout).toBe('.');
});
