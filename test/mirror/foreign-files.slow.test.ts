/** Files that aren't mirrors are never changed or deleted. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { openWorkspace, synced } from './workspace.ts';

function workspaceWith(make: (file: string) => void) {
  const workspace = openWorkspace();
  const folder = join(workspace.folder, 'elsewhere');
  mkdirSync(folder);
  const file = join(folder, 'other');
  make(file);
  return { ...workspace, file, there: () => readdirSync(folder) };
}

const others: Record<string, (file: string) => void> = {
  'a text': (file) => writeFileSync(file, 'Dear all,'),
  'an empty file': (file) => writeFileSync(file, ''),
  'a database of some other program': (file) => {
    const database = new DatabaseSync(file);
    database.exec('CREATE TABLE t (a)');
    database.close();
  },
  'a folder': (file) => mkdirSync(file),
};

test.each(Object.entries(others))(
  '%s: is not changed, and no file is created next to it',
  async (_, make) => {
    const workspace = workspaceWith(make);
    for (const line of ['reset --yes', 'sync --resource tags', 'forget tags tag-1 --yes', 'diff', 'status']) {
      const result = await workspace.boh(`mirror ${line} --to sqlite:${workspace.file}`);
      expect({ line, ...result }).toMatchObject({ exitCode: 8 });
      expect({ line, there: workspace.there() }).toEqual({ line, there: ['other'] });
    }
  },
);

test('mirror sync --to sqlite::memory: is refused', async () => {
  const workspace = openWorkspace();
  const result = await workspace.boh('mirror sync --resource tags --to sqlite::memory:');
  expect(result).toMatchObject({ exitCode: 2, stdout: '' });
});

test('mirror reset without a mirror: creates nothing', async () => {
  const workspace = workspaceWith(() => {});
  expect(await workspace.boh(`mirror reset --yes --to sqlite:${workspace.file}`)).toMatchObject({
    exitCode: 5,
  });
  expect(workspace.there()).toEqual([]);
});

test('mirror reset of an unreadable mirror: renames it', async () => {
  const workspace = await synced('--resource tags');
  writeFileSync(workspace.file, 'overwritten');
  expect(await workspace.boh('mirror reset --yes')).toMatchObject({ exitCode: 0 });
  const [aside = ''] = readdirSync(workspace.folder).filter((name) => name.endsWith('.aside'));
  expect(readFileSync(join(workspace.folder, aside), 'utf8')).toBe('overwritten');
  expect(await workspace.sync('--resource tags')).toMatchObject({ exitCode: 0 });
});
