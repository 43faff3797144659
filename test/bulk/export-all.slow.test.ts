import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { api } from '../../src/api/resources/index.ts';
import { tokenWith } from '../commands/jwt.ts';
import { failureOf, runBoh } from '../harness/run-boh.ts';
import { serve } from '../harness/serve.ts';
import { readWorkbook } from '../harness/workbook/read-workbook.ts';
import { openImportSandbox } from './import-sandbox.ts';

const listedCommands = api.collections.filter(({ list }) => list).map(({ command }) => command);

test('export to a workbook: has a sheet for each resource and for separate links, named after them', async () => {
  const sandbox = openImportSandbox();
  const file = join(sandbox.folder, 'book.xlsx');
  const result = await sandbox.boh(`export --to ${file}`);
  expect(result).toMatchObject({ exitCode: 0, stdout: '' });
  const sheets = readWorkbook(file);
  const names = listedCommands.flatMap((name) =>
    name === 'gift-card-products' ? [name, `${name} branch`] : [name],
  );
  expect(sheets.map(({ name }) => name)).toEqual(names);
  for (const { name, rows } of sheets) expect({ name, rows: rows.length }).not.toMatchObject({ rows: 1 });
  for (const name of ['suppliers', 'timed-events']) {
    const importResult = await sandbox.boh(`${name} import ${file}`);
    expect(importResult).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('--sheet') });
    const actions = importResult.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).action);
    expect(new Set(actions)).toEqual(new Set(['skip']));
  }
});

test('export --resource: writes the named resources in the given order', async () => {
  const sandbox = openImportSandbox();
  const file = join(sandbox.folder, 'book.xlsx');
  const result = await sandbox.boh(`export --to ${file} --resource tags,suppliers --resource category`);
  expect(result.exitCode).toBe(0);
  expect(readWorkbook(file).map(({ name }) => name)).toEqual(['tags', 'suppliers', 'categories']);
});

test('export to a folder: has a file for each resource and for separate links, identical to the export of the resource', async () => {
  const sandbox = openImportSandbox();
  const [folder, tagsFile] = [join(sandbox.folder, 'all'), join(sandbox.folder, 'tags.csv')];
  expect(await sandbox.boh(`export --to ${folder} -o csv`)).toMatchObject({ exitCode: 0, stdout: '' });
  const tables = [...listedCommands, 'gift-card-products-branch'].map((name) => `${name}.csv`);
  expect(readdirSync(folder).sort()).toEqual(tables.sort());
  await sandbox.boh(`tags export --to ${tagsFile}`);
  expect(sandbox.read('all/tags.csv')).toBe(sandbox.read('tags.csv'));
  expect(await sandbox.boh(`export --to ${folder} -o ndjson --resource tags`)).toMatchObject({ exitCode: 0 });
  expect(sandbox.read('all/tags.ndjson')).toContain('"id":"tag-1"');
});

test.each([
  ['export', 'Choose a workbook or a folder'],
  ['export --to x.csv', 'A .csv file contains one resource'],
  ['export --to x.pdf', "export can't write a .pdf file."],
  ['export --to x.xlsx -o csv', '-o csv and the extension .xlsx are different formats'],
  ['export --to x.xlsx --spreadsheet', '--spreadsheet is only for CSV'],
  ['export --to x.xlsx --resource tagz,whoami', 'Unknown resource "tagz". Did you mean "tags"?'],
])('boh %s: exits with 2', async (line, message) => {
  const sandbox = openImportSandbox();
  const refusedResult = await sandbox.boh(line);
  expect(refusedResult.exitCode).toBe(2);
  expect(refusedResult.stderr).toContain(message);
});

test("export to a folder that can't be created: fails with category usage and names the folder", async () => {
  const sandbox = openImportSandbox();
  writeFileSync(join(sandbox.folder, 'taken'), '');
  const refusedResult = await sandbox.boh(`export --to ${join(sandbox.folder, 'taken')} -o json`);
  expect(failureOf(refusedResult)).toMatchObject({
    category: 'usage',
    message: expect.stringMatching(/taken is a file/),
  });
});

test("export with a token that can't list all resources: names them and suggests the others, without any request", async () => {
  const sandbox = openImportSandbox();
  const service = await serve({});
  onTestFinished(() => service.close());
  const file = join(sandbox.folder, 'book.xlsx');
  const token = tokenWith({ scopes: ['customers.list', 'inventory.settings.read'] });
  const env = { BOH_CONFIG_DIR: sandbox.folder, BOH_BASE_URL: service.baseUrl, BOH_TOKEN: token };
  const refusedResult = await runBoh(['export', '--to', file, '--resource', 'suppliers,taxes,users'], {
    env,
  });
  expect(refusedResult.exitCode).toBe(4);
  expect(failureOf(refusedResult).message).toBe(
    "The token isn't allowed to list taxes, users. Nothing was written.",
  );
  expect(failureOf(refusedResult).hint).toBe('To export the others: --resource suppliers');
  expect(service.takeRequests()).toEqual([]);
  expect(existsSync(file)).toBe(false);
});
