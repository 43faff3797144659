/** Folders and files that boh import refuses, because they are not tables of an export. */
import { copyFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { failureOf } from '../harness/run-boh.ts';
import { openAccounts } from './backups.ts';
import { editRows } from './exports.ts';

describe("tables that aren't from an export", () => {
  test('unknown files and columns, secrets and duplicate IDs: all are reported before anything is sent', async () => {
    const { boh, folder } = openAccounts();
    const exportFolder = join(folder, 'all');
    await boh('demo', `export --to ${exportFolder}`);
    copyFileSync(join(exportFolder, 'tags.csv'), join(exportFolder, 'tagz.csv'));
    const file = failureOf(await boh('demo', `import ${exportFolder}`));
    expect(file).toMatchObject({ fields: { 'tagz.csv': [expect.stringContaining('Did you mean "tags"')] } });
    rmSync(join(exportFolder, 'tagz.csv'));
    writeFileSync(join(exportFolder, '.~lock.tags.csv#'), '');
    writeFileSync(join(exportFolder, 'README.md'), '');
    editRows(exportFolder, 'tags', (rows) => {
      for (const row of rows) row.color = 'red';
    });
    editRows(exportFolder, 'users', (rows) => {
      for (const row of rows) row.pin = '1234';
    });
    const columns = failureOf(await boh('demo', `import ${exportFolder}`));
    expect(columns).toMatchObject({
      fields: {
        'tags.csv: color': ['is not a field of tags.'],
        'users.csv: pin': ['contains secrets; use boh users import'],
      },
    });
    renameSync(join(exportFolder, 'taxes.csv'), join(exportFolder, 'Taxes.csv'));
    editRows(exportFolder, 'Taxes', (rows) => {
      Object.assign(rows[1] ?? {}, { id: rows[0]?.id, rate: 'much' });
    });
    const rows = failureOf(await boh('demo', `import ${exportFolder} --resource taxes`));
    expect(rows).toMatchObject({
      fields: { 'taxes line 3': [expect.stringContaining('is the same as in line 2')] },
    });
  });

  test.each([
    ['nowhere', "doesn't exist"],
    ['one.csv', 'is neither a folder nor a workbook'],
    ['empty', 'has no exported tables'],
  ])('%s: is refused', async (name, message) => {
    const { boh, folder } = openAccounts();
    const path = join(folder, name);
    if (name === 'one.csv') writeFileSync(path, 'id\n');
    if (name === 'empty') mkdirSync(path);
    expect(failureOf(await boh('demo', `import ${path}`)).message).toContain(message);
  });
});
