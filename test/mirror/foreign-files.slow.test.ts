/** Tests that files that aren't mirrors are never changed or deleted. */
import { mkdirSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { openSyncedWorkspace, openWorkspace } from './workspace.ts';

function workspaceWith(create: (file: string) => void) {
  const workspace = openWorkspace();
  const folder = join(workspace.folder, 'elsewhere');
  mkdirSync(folder);
  const file = join(folder, 'other');
  create(file);
  return { ...workspace, file, files: () => readdirSync(folder) };
}

const foreignFiles: Record<string, (file: string) => void> = {
  'a text file': (file) => writeFileSync(file, 'Dear all,'),
  'an empty file': (file) => writeFileSync(file, ''),
  'a database of another program': (file) => {
    const database = new DatabaseSync(file);
    database.exec('CREATE TABLE t (a)');
    database.close();
  },
  'a folder': (file) => mkdirSync(file),
};

test.each(Object.entries(foreignFiles))(
  'mirror commands with --to %s: change nothing, and create no file next to it',
  async (_, create) => {
    const workspace = workspaceWith(create);
    for (const line of ['reset --yes', 'sync --resource tags', 'forget tags tag-1 --yes', 'diff', 'status']) {
      const result = await workspace.boh(`mirror ${line} --to sqlite:${workspace.file}`);
      expect({ line, ...result }).toMatchObject({ exitCode: 8 });
      expect({ line, files: workspace.files() }).toEqual({ line, files: ['other'] });
    }
  },
);

test('mirror sync --to sqlite::memory:: is refused', async () => {
  const workspace = openWorkspace();
  const result = await workspace.boh('mirror sync --resource tags --to sqlite::memory:');
  expect(result).toMatchObject({ exitCode: 2, stdout: '' });
});

test('mirror reset without a mirror: creates nothing', async () => {
  const workspace = workspaceWith(() => {});
  expect(await workspace.boh(`mirror reset --yes --to sqlite:${workspace.file}`)).toMatchObject({
    exitCode: 5,
  });
  expect(workspace.files()).toEqual([]);
});

test('mirror reset of a damaged mirror: renames the file', async () => {
  const workspace = await openSyncedWorkspace('--resource tags');
  truncateSync(workspace.file, 5000);
  expect(await workspace.boh('mirror reset --yes')).toMatchObject({ exitCode: 0 });
  const [renamedFile = ''] = readdirSync(workspace.folder).filter((name) => name.endsWith('.aside'));
  expect(statSync(join(workspace.folder, renamedFile)).size).toBe(5000);
  expect(await workspace.sync('--resource tags')).toMatchObject({ exitCode: 0 });
});
